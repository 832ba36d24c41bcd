/**
 * What the page's script works on: the view of a run with every text, flow and path once, so that
 * thousands of vectors fit.
 */
import { deflateRawSync } from 'node:zlib';
import { shownInPage } from '../../harness/base/text/visible.js';
import { flowKey } from '../../harness/compare/compare-counters.js';
import { formatFlowId, type FlowId } from '../../harness/domain/switching.js';
import type { Difference, VerdictKind } from '../../harness/domain/verdict.js';
import type { Crossing, Hop, Lookup } from '../../harness/explain/hops.js';
import type { Levels } from '../../harness/explain/levels.js';
import type { RunView, ScenarioView } from '../../harness/explain/run-view.js';
import type { VectorView } from '../../harness/explain/vector-view.js';
import type { Note } from '../../harness/explain/note.js';
import type { Divergence } from '../../harness/explain/divergence.js';
import type { Inconclusive } from '../../harness/run/vector-report.js';
import { changesOf, type Changes } from './changes.js';
import { aspectName, comparedAspects, scenarioLabel, summaryIn } from '../describe-differences.js';

/** An index into `PageData.texts`. */
export type Text = number;

export interface PageData {
  readonly texts: readonly string[];
  readonly scenarios: readonly ScenarioData[];
}

export interface ScenarioData {
  readonly label: string;
  readonly parties: readonly {
    readonly name: string;
    readonly kind: 'pod' | 'node' | 'external';
    readonly node: string;
    readonly ip: string;
  }[];
  readonly flows: readonly FlowData[];
  /** The model's lookups for one frame. */
  readonly paths: readonly (readonly LookupData[])[];
  readonly vectors: readonly VectorData[];
}

export interface FlowData {
  readonly node: string;
  readonly bridge: string;
  readonly table: number;
  /** `priority=200,ip,nw_dst=10.10.1.0/24` */
  readonly text: string;
}

/** A table without a matching flow has -1 for it. */
export type LookupData = readonly [
  bridge: Text,
  table: number,
  flow: number,
  writes: Text,
  outcome: Text,
];

export interface VectorData {
  readonly id: string;
  readonly group: Text;
  readonly from: Text;
  /** A party's name, or -1 for an address that nobody holds. */
  readonly to: Text | -1;
  readonly stimulus: Text;
  readonly promise: Text;
  readonly verdict: VerdictKind;
  readonly levels: Levels;
  /** What it was in the state before, where it has changed. */
  readonly was?: Text;
  /** The frames of its hops, in a line each. */
  readonly frames: readonly string[];
  readonly hops: readonly HopData[];
  /** The path is left out: the page would be too large. */
  readonly cut: boolean;
  /**
   * It was played with others: the path is the model's alone, and what the switch did is known of
   * its own frames.
   */
  readonly isTogether: boolean;
  /** Flows and what they counted; -1 where the switch was not asked. */
  readonly counted: readonly (readonly [flow: number, model: number, real: number])[];
  readonly notes: readonly NoteData[];
  /** Connections and learned MACs when it is over. */
  readonly finalState: readonly NoteData[];
  /** Of each aspect that there was something to compare of. */
  readonly counts: readonly (readonly [
    aspect: Text,
    expected: number,
    made: number,
    skipped: number,
  ])[];
  readonly differences: readonly DifferenceData[];
  readonly inconclusive?: Inconclusive;
  readonly predictionError?: string;
  readonly divergence?: Divergence;
}

export type NoteData = readonly [text: Text, seen: Note['seen']];

export interface HopData {
  readonly timeUs: number;
  readonly node: Text;
  readonly port: Text;
  readonly entered?: CrossingData;
  readonly path: number;
  readonly left: readonly (readonly [port: Text, crossing: CrossingData])[];
}

/** `frame` is an index into the vector's `frames`: no other vector has the same. */
export type CrossingData = readonly [
  frame: number,
  seen: Crossing['seen'],
  fields: readonly (readonly [name: string, expected: string, actual: string])[],
];

export interface DifferenceData {
  readonly between: string;
  readonly summary: Text;
  readonly expected: Text;
  readonly actual: Text;
  readonly at?: { readonly place: string; readonly flow: string; readonly because: string };
}

/** Paths of conforming vectors beyond this many are left out: `flowbed explain` has them. */
const pathsMax = 6000;
/** How many consequences of a vector's first difference the page shows. */
const differencesMax = 40;

/** Indices for values, by the text that distinguishes them. */
interface Dictionary<T> {
  readonly values: T[];
  indexOf(key: string, make: () => T): number;
}

function dictionary<T>(): Dictionary<T> {
  const known = new Map<string, number>();
  const values: T[] = [];
  return {
    values,
    indexOf(key, make) {
      const index = known.get(key) ?? values.push(make()) - 1;
      known.set(key, index);
      return index;
    },
  };
}

export function pageData({ scenarios }: RunView): PageData {
  const texts = dictionary<string>();
  const text = (words: string): Text => texts.indexOf(words, () => words);
  const all = scenarios.map((scenario) =>
    scenarioData(scenario, text, changesOf(scenario, scenarios)),
  );
  return { texts: texts.values, scenarios: all };
}

/** Deflated, in base64: what a page can carry in a script element. */
export function packed(data: PageData): string {
  return deflateRawSync(JSON.stringify(shownInPage(data)), { level: 9 }).toString('base64');
}

function scenarioData(
  { report, parties, vectors }: ScenarioView,
  text: (words: string) => Text,
  changes: Changes | undefined,
): ScenarioData {
  const flows = dictionary<FlowData>();
  const paths = dictionary<readonly LookupData[]>();
  const flow = (id: FlowId): number =>
    flows.indexOf(flowKey(id), () => ({
      node: id.node,
      bridge: id.bridge,
      table: id.table,
      text: formatFlowId(id).replace(/^table=\d+, /, ''),
    }));
  const lookup = (found: Lookup): LookupData => [
    text(found.bridge),
    found.table,
    found.flow === undefined ? -1 : flow(found.flow),
    text(found.writes.join(', ')),
    text(outcomeOf(found)),
  ];
  const path = (lookups: readonly Lookup[]): number => {
    const data = lookups.map(lookup);
    return paths.indexOf(JSON.stringify(data), () => data);
  };
  const hopsWithFrames = (hops: readonly Hop[]): Pick<VectorData, 'hops' | 'frames'> => {
    const frames = dictionary<string>();
    const crossing = ({ frame, seen, fields }: Crossing): CrossingData => [
      frames.indexOf(frame, () => frame),
      seen,
      fields.map(({ name, expected, actual }) => [name, expected, actual]),
    ];
    const all = hops.map(
      ({ timeUs, node, port, entered, lookups, left }): HopData => ({
        timeUs,
        node: text(node),
        port: text(port),
        path: path(lookups),
        ...(entered === undefined ? {} : { entered: crossing(entered) }),
        left: left.map((departed) => [text(departed.port), crossing(departed)]),
      }),
    );
    return { frames: frames.values, hops: all };
  };
  const vector = (view: VectorView): VectorData => {
    const cut =
      (view.played === 'together' && view.passes.length === 0) ||
      (vectors.length > pathsMax && view.report.verdict === 'conforms');
    const was = changes?.get(view.report.id);
    return {
      ...headOf(view, text),
      ...(was === undefined ? {} : { was: text(was) }),
      cut,
      isTogether: view.played === 'together',
      ...hopsWithFrames(cut ? [] : view.hops),
      counted: cut
        ? []
        : view.flows.map((counted) => [flow(counted.flow), counted.model, counted.switch ?? -1]),
    };
  };
  return {
    label: scenarioLabel(report),
    parties,
    vectors: vectors.map(vector),
    flows: flows.values,
    paths: paths.values,
  };
}

function headOf(
  {
    report,
    group,
    to,
    stimulus,
    promise,
    levels,
    notes,
    finalState: remembered,
    divergence: parting,
    predictionError: unpredicted,
  }: VectorView,
  text: (words: string) => Text,
): Omit<VectorData, 'frames' | 'hops' | 'counted' | 'cut' | 'isTogether'> {
  const note = (one: Note): NoteData => [text(one.text), one.seen];
  return {
    id: report.id,
    group: text(group),
    from: text(report.stimulus.from),
    to: to === undefined ? -1 : text(to),
    stimulus: text(stimulus),
    promise: text(promise),
    verdict: report.verdict,
    levels,
    notes: notes.map(note),
    finalState: remembered.map(note),
    counts: comparedAspects(report.counts).map(({ aspect, expected, made, skipped }) => [
      text(aspectName(aspect)),
      expected,
      made,
      skipped,
    ]),
    differences: report.differences
      .slice(0, differencesMax)
      .map((difference) => differenceData(difference, text)),
    ...(report.inconclusive === undefined ? {} : { inconclusive: report.inconclusive }),
    ...(unpredicted === undefined ? {} : { predictionError: unpredicted }),
    ...(parting === undefined ? {} : { divergence: parting }),
  };
}

function differenceData(difference: Difference, text: (words: string) => Text): DifferenceData {
  const { between, expected, actual, at } = difference;
  const place =
    at === undefined
      ? ''
      : `${at.flow.bridge} on ${at.flow.node}, table ` +
        `${at.flow.table}${at.field === undefined ? '' : `, field ${at.field}`}`;
  return {
    between,
    summary: text(summaryIn(difference)),
    expected: text(expected),
    actual: text(actual),
    ...(at === undefined
      ? {}
      : { at: { place, flow: formatFlowId(at.flow), because: at.because } }),
  };
}

/** `output antrea-tun0 by reg1`, `drop: the flow says drop`. */
function outcomeOf({ outputs, drop }: Lookup): string {
  return [
    ...outputs.map(({ port, by }) => `output ${port}${by === undefined ? '' : ` by ${by}`}`),
    ...(drop === undefined ? [] : [`drop: ${drop}`]),
  ].join(', ');
}
