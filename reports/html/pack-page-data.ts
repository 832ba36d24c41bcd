/** Packs a run into the data that its page draws. */
import { flowText, placeText, reasonLines } from '../../harness/domain/location.js';
import type { Difference } from '../../harness/domain/verdict.js';
import { formatFlowId, type FlowId } from '../../harness/domain/switching.js';
import type { Hop, Crossing, Lookup } from '../../harness/explain/hops.js';
import { comparedAspects, aspectName, summaryIn, scenarioLabel } from '../describe-differences.js';
import type {
  Text,
  DifferenceData,
  VectorData,
  NoteData,
  ScenarioData,
  LookupData,
  HopData,
  FlowData,
  CrossingData,
  PageData,
} from './page-data.js';
import type { Note } from '../../harness/explain/note.js';
import type { VectorView } from '../../harness/explain/vector-view.js';
import { flowKey } from '../../harness/compare/compare-counters.js';
import type { RunView, ScenarioView } from '../../harness/explain/run-view.js';
import type { Changes } from './changes.js';
import { changesOf } from './changes.js';
import { deflateRawSync } from 'zlib';
import { shownInPage } from '../../harness/base/text/visible.js';

/** Paths of conforming vectors beyond this many are left out: `flowbed explain` has them. */
export const pathsMax = 6000;

/** How many consequences of a vector's first difference the page shows. */
export const differencesMax = 40;

/** Indices for values, by the text that distinguishes them. */
export interface Dictionary<T> {
  readonly values: T[];
  indexOf(key: string, make: () => T): number;
}

export function dictionary<T>(): Dictionary<T> {
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

/** `output antrea-tun0 by reg1`, `drop: the flow says drop`. */
export function outcomeOf({ outputs, drop }: Lookup): string {
  return [
    ...outputs.map(({ port, by }) => `output ${port}${by === undefined ? '' : ` by ${by}`}`),
    ...(drop === undefined ? [] : [`drop: ${drop}`]),
  ].join(', ');
}

export function differenceData(
  difference: Difference,
  text: (words: string) => Text,
): DifferenceData {
  const { between, expected, actual, at } = difference;
  return {
    between,
    summary: text(summaryIn(difference)),
    expected: text(expected),
    actual: text(actual),
    ...(at === undefined
      ? {}
      : {
          at: { place: placeText(at), flow: flowText(at), because: reasonLines(at).join('; ') },
        }),
  };
}

export function headOf(
  {
    report,
    group,
    to,
    stimulus,
    promise,
    levels,
    notes,
    finalState: remembered,
    divergence,
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
    ...(divergence === undefined ? {} : { divergence }),
  };
}

export function scenarioData(
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

/** Deflated, in base64: what a page can carry in a script element. */
export function packed(data: PageData): string {
  return deflateRawSync(JSON.stringify(shownInPage(data)), { level: 9 }).toString('base64');
}

export function pageData({ scenarios }: RunView): PageData {
  const texts = dictionary<string>();
  const text = (words: string): Text => texts.indexOf(words, () => words);
  const all = scenarios.map((scenario) =>
    scenarioData(scenario, text, changesOf(scenario, scenarios)),
  );
  return { texts: texts.values, scenarios: all };
}
