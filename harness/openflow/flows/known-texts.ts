/**
 * Canonical texts of flows, without reading most of them: of each shape one flow is read, and what
 * is printed of it is filled in for the others.
 */
import { assert, InputError } from '../../base/errors/errors.js';
import { actionsReader } from '../actions/known-actions.js';
import type { Names } from '../syntax/form.js';
import { parseFlow, printFlow } from './flow.js';
import {
  cutShape,
  sampleOfShape,
  shapeOf,
  valuesOf,
  type CutShape,
  type FlowShape,
} from './flow-shape.js';

/** The canonical text of a flow, or the shape and the values that `canonicalText` makes it of. */
export type KnownFlow = string | FlowShape;

/** @throws InputError as `parseFlow`. */
export type FlowReader = (
  text: string,
  place: { readonly file: string; readonly line: number },
) => KnownFlow;

/** A canonical text with gaps, and which value each of them takes. */
interface Template {
  readonly pieces: readonly string[];
  readonly gaps: readonly number[];
}

/** More would cost more memory than they save time. */
const mostShapes = 10_000;

const mostRecent = 4;

/** Of all clusters: what a shape becomes depends on nothing but itself. */
const known = new Map<string, Template | 'to be read'>();

/** @returns a reader for the flows of one bridge. */
export function knownFlowReader(names: Names): FlowReader {
  const readActions = actionsReader();
  const print: FlowReader = (text, place) => printFlow(parseFlow(text, names, place, readActions));
  if (names.tables.size > 0 || names.tunnelOptions.size > 0) return print;
  /** Shapes that came last; of flows in order, the next one is likely of one of them. */
  const recent: CutShape[] = [];
  const amongRecent = (text: string): FlowShape | undefined => {
    for (const cut of recent) {
      const values = valuesOf(text, cut, names.ports);
      if (values !== undefined) return { shape: cut.shape, values };
    }
    return undefined;
  };
  return (text, place) => {
    const flow = amongRecent(text) ?? shapeOf(text, names.ports);
    if (flow === undefined) return print(text, place);
    const template = known.get(flow.shape);
    if (template === 'to be read') return print(text, place);
    if (template !== undefined) {
      if (!recent.some(({ shape }) => shape === flow.shape)) {
        recent.unshift(cutShape(flow.shape));
        recent.splice(mostRecent);
      }
      return flow;
    }
    const whole = print(text, place);
    const found = templateOf(flow.shape);
    // A shape that is not filled in as it reads is read each time.
    const isFilledIn = found !== undefined && fill(found, flow.values) === whole;
    if (known.size < mostShapes) known.set(flow.shape, isFilledIn ? found : 'to be read');
    return whole;
  };
}

export function canonicalText(flow: KnownFlow): string {
  if (typeof flow === 'string') return flow;
  const template = known.get(flow.shape);
  assert(template !== undefined && template !== 'to be read', 'a shape of a flow that was read');
  return fill(template, flow.values);
}

function fill({ pieces, gaps }: Template, values: readonly string[]): string {
  let text = pieces[0] ?? '';
  for (let index = 0; index < gaps.length; index++)
    text += `${values[gaps[index] ?? 0]}${pieces[index + 1]}`;
  return text;
}

/**
 * What a shape becomes: the canonical text of its sample with gaps; undefined where a value does
 * not come out once, or where the shape holds names of one bridge.
 */
function templateOf(shape: string): Template | undefined {
  const sample = sampleOfShape(shape);
  const printed = sample === undefined ? undefined : printedWithoutNames(sample.text);
  if (sample === undefined || printed === undefined) return undefined;
  const found = sample.values
    .map((value, gap) => ({ value, gap, at: printed.indexOf(value) }))
    .sort((one, other) => one.at - other.at);
  let end = 0;
  const pieces: string[] = [];
  for (const { value, at } of found) {
    if (at < end || printed.includes(value, at + 1)) return undefined;
    pieces.push(printed.slice(end, at));
    end = at + value.length;
  }
  return { pieces: [...pieces, printed.slice(end)], gaps: found.map(({ gap }) => gap) };
}

function printedWithoutNames(text: string): string | undefined {
  try {
    return printFlow(parseFlow(text));
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
