/**
 * A run as people inspect it: who sent what to whom, the verdict at three levels, and the path of
 * every vector with the model beside the switch. Plain data, ready to be rendered; what the model
 * did is predicted again from plan, vector and seed.
 */
import { flowKey } from '../compare/compare-counters.js';
import { assert, Unsupported } from '../base/errors/errors.js';
import { yieldToEventLoop } from '../base/concurrency/yield-to-event-loop.js';
import type { Observation } from '../domain/observation.js';
import type { SwitchState } from '../domain/switch-state.js';
import type { FlowCount } from '../domain/switching.js';
import type { Topology } from '../domain/topology.js';
import type { PassName } from '../domain/test-vector.js';
import { oracleFrom } from '../lockstep/oracle.js';
import { replayVectors } from '../run/timeline/replay-vectors.js';
import {
  readObservation,
  type RecordedBatch,
  type RunRecord,
  type ScenarioRecord,
  type VectorRecord,
} from '../run/run-record.js';
import type { RunReport, ScenarioReport, VectorReport } from '../run/run-report.js';
import type { Trace } from '../model/trace/trace.js';
import { openModel, type ModelTestbed } from '../testbeds/model/model-testbed.js';
import { countedFlows, hopsOf, batchHops, type CountedFlow, type Hop } from './hops.js';
import { levelsOf, type Levels } from './levels.js';
import {
  describeNoteWithoutTime,
  describeNote,
  describePromise,
  describeState,
  describeStimulus,
  partiesOf,
  partyAt,
  targetOf,
  type Party,
} from './describe-stimulus.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';

export interface RunView {
  readonly report: RunReport;
  readonly scenarios: readonly ScenarioView[];
}

export interface ScenarioView {
  readonly report: ScenarioReport;
  readonly topology: Topology;
  /** The tunnel's port on each node's bridge, the bridges and so on, as planned. */
  readonly plan: ScenarioRecord['plan'];
  readonly parties: readonly Party[];
  readonly vectors: readonly VectorView[];
}

export interface VectorView {
  readonly report: VectorReport;
  /** The first word of the id: `ping`, `spoof-ip`. */
  readonly group: string;
  /** Who it is for: a party's name, or undefined for an address that nobody holds. */
  readonly to: string | undefined;
  readonly stimulus: string;
  readonly promise: string;
  readonly levels: Levels;
  /**
   * Whether it was played with others between two resets: then the switches output what the model
   * did.
   */
  readonly played: 'alone' | 'together';
  /** The pass that is shown: the one in which the first difference stands, or the first. */
  readonly pass: PassName;
  /** Of a timeline, what had happened before it. */
  readonly past?: readonly string[];
  /** All that were played. */
  readonly passes: readonly PassName[];
  readonly hops: readonly Hop[];
  /** Packets of all passes together. */
  readonly flows: readonly CountedFlow[];
  /** What the hosts noted in the pass. */
  readonly notes: readonly Note[];
  /** Connections and learned MACs when the vector is over. */
  readonly finalState: readonly Note[];
  /** Why the model could not be asked. */
  readonly predictionError?: string;
  readonly divergence?: Divergence;
}

/** One line of what a side reports, and which side did. */
export interface Note {
  readonly text: string;
  readonly seen: 'by both' | 'by the model only' | 'by the switch only' | 'not observed';
}

/**
 * Where on the path the two sides diverge first: at a lookup, at the frame that entered, or at one
 * that left.
 */
export type Divergence = { readonly hop: number } & (
  | { readonly kind: 'lookup' | 'left'; readonly index: number }
  | { readonly kind: 'entered' }
);

/**
 * @param paths of which vectors the model is asked again: those of which no frame is kept are too
 *   many, unless one of them is inspected.
 */
export async function viewOf(
  { report, scenarios }: RunRecord,
  paths: 'of those with frames' | 'of all' = 'of those with frames',
): Promise<RunView> {
  const views: ScenarioView[] = [];
  for (const [index, record] of scenarios.entries()) {
    const scenarioReport = report.scenarios[index];
    assert(scenarioReport !== undefined, 'a record without its report');
    views.push(
      await scenarioView(
        record,
        scenarioReport,
        report,
        (recorded) =>
          recorded.together === undefined ||
          recorded.together.passes !== undefined ||
          paths === 'of all',
      ),
    );
  }
  return { report, scenarios: views };
}

async function scenarioView(
  record: ScenarioRecord,
  report: ScenarioReport,
  { seed, versions }: RunReport,
  predicts: (recorded: VectorRecord) => boolean,
): Promise<ScenarioView> {
  const { topology, plan } = record;
  const parties = allParties(record);
  const model = openModel(plan, versions);
  const past =
    record.timeline === undefined ? undefined : await predictTimeline(model, record, seed);
  /**
   * The final state of the batch that the vector was in: the first of them has it.
   */
  const batchFinalState = new Map<string | undefined, RecordedBatch['left']>();
  const vectors: VectorView[] = [];
  for (const [index, recorded] of record.vectors.entries()) {
    await yieldToEventLoop();
    const vectorReport = report.vectors[index];
    assert(
      vectorReport !== undefined && vectorReport.id === recorded.vector.id,
      `the record's vector ${recorded.vector.id} is not the report's`,
    );
    const pass = vectorReport.differences[0]?.pass ?? 'cold';
    if (recorded.together?.left !== undefined)
      batchFinalState.set(recorded.vector.together, recorded.together.left);
    const predicted =
      past !== undefined
        ? (past[index] ?? notPlayed)
        : predicts(recorded)
          ? await predictVector(
              model,
              plan,
              recorded,
              batchFinalState.get(recorded.vector.together),
              seed,
              pass,
            )
          : noPrediction;
    const view = vectorView(vectorReport, recorded, pass, predicted, predicted.parties ?? parties);
    vectors.push(
      record.timeline === undefined
        ? view
        : {
            ...view,
            past: record.timeline.filter(({ after }) => after <= index).map(({ what }) => what),
          },
    );
  }
  return { report, topology, plan, parties, vectors };
}

/** Who is there at first, and who comes later. */
function allParties({ topology, timeline = [] }: ScenarioRecord): readonly Party[] {
  const all = [topology, ...timeline.map((event) => event.topology)].flatMap(partiesOf);
  return [...new Map(all.map((party) => [party.name, party])).values()];
}

interface Prediction {
  readonly observation: Observation;
  readonly counts: readonly FlowCount[];
  readonly state: SwitchState;
  readonly traces: readonly Trace[];
  readonly predictionError?: string;
  /** Who was there then, where that changes. */
  readonly parties?: readonly Party[];
}

const noPrediction: Prediction = {
  observation: { frames: [], notes: [] },
  counts: [],
  state: { connections: [], macs: [] },
  traces: [],
};

const notPlayed: Prediction = { ...noPrediction, predictionError: 'it was not played to its end' };

/**
 * Each vector of a timeline that was played, in order; where the model cannot predict, it cannot
 * from there on.
 */
async function predictTimeline(
  model: ModelTestbed,
  record: ScenarioRecord,
  seed: number,
): Promise<readonly Prediction[]> {
  const predicted: Prediction[] = [];
  let before = 0;
  let oracle = recordedOracle({});
  const cluster = withEmulatedHosts(
    { ...model, call: (calls) => model.call(calls, oracle) },
    record.plan,
    { seed, hosts: 'keep what they know' },
  );
  try {
    for await (const {
      observations: [observation],
      topology,
    } of replayVectors(record, cluster, (kept) => (oracle = recordedOracle(kept)))) {
      await yieldToEventLoop();
      const traces = model.traces();
      predicted.push({
        observation: observation ?? noPrediction.observation,
        traces: traces.slice(before),
        counts: await model.counts(),
        state: await model.state(),
        parties: partiesOf(topology),
      });
      before = traces.length;
    }
    return predicted;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    const unpredicted: Prediction = { ...noPrediction, predictionError: error.message };
    return record.vectors.map((_, index) => predicted[index] ?? unpredicted);
  }
}

/** What switches reported of the vector, or of its batch. */
function recordedOracle(
  { real }: Pick<VectorRecord, 'real'>,
  batchFinalState?: RecordedBatch['left'],
): ReturnType<typeof oracleFrom> {
  const outcome = real ?? batchFinalState ?? { counts: [], state: { connections: [], macs: [] } };
  return oracleFrom({
    counts: () => Promise.resolve(outcome.counts),
    state: () => Promise.resolve(outcome.state),
  });
}

/**
 * Of the recorded passes, the one called `shown` as the model has it, and how things stand after
 * all of them.
 */
async function predictVector(
  model: ModelTestbed,
  plan: ScenarioRecord['plan'],
  recorded: VectorRecord,
  batchFinalState: RecordedBatch['left'],
  seed: number,
  shown: PassName,
): Promise<Prediction> {
  const { vector, real, together } = recorded;
  await model.reset();
  try {
    const oracle = recordedOracle(recorded, batchFinalState);
    const cluster = withEmulatedHosts(
      { ...model, call: (calls) => model.call(calls, oracle) },
      plan,
      { seed, hosts: 'start afresh' },
    );
    let seen: Pick<Prediction, 'observation' | 'traces'> = {
      observation: { frames: [], notes: [] },
      traces: [],
    };
    for (const pass of (real ?? together)?.passes?.map((recorded) => recorded.pass) ?? [
      { name: 'cold' as const, stimulus: vector.stimulus },
    ]) {
      const before = model.traces().length;
      const observation = await cluster.play(vector.id, pass.stimulus);
      if (pass.name === shown) seen = { observation, traces: model.traces().slice(before) };
    }
    return { ...seen, counts: await model.counts(), state: await model.state() };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { ...noPrediction, predictionError: error.message };
  }
}

function vectorView(
  report: VectorReport,
  { real, together }: VectorRecord,
  pass: PassName,
  predicted: Prediction,
  parties: readonly Party[],
): VectorView {
  const played = (real ?? together)?.passes;
  const recorded = played?.find((candidate) => candidate.pass.name === pass);
  const seen = recorded === undefined ? undefined : readObservation(recorded);
  const hops =
    together === undefined || seen === undefined
      ? hopsOf(predicted.observation, predicted.traces, seen)
      : batchHops(predicted.observation, predicted.traces, seen);
  const target = targetOf(report.stimulus);
  const sent = pass === 'sibling' && report.sibling !== undefined ? report.sibling : report;
  const divergence = divergenceOf(report, hops);
  return {
    report,
    group: report.id.split('/')[0] ?? report.id,
    to: partyAt(parties, target)?.name,
    stimulus:
      describeStimulus(sent.stimulus, parties) + (pass === 'cold' ? '' : ` (the ${pass} pass)`),
    promise: describePromise(sent.intent),
    levels: levelsOf(report),
    played: together === undefined ? 'alone' : 'together',
    pass,
    passes: played?.map((one) => one.pass.name) ?? [],
    hops,
    flows: countedFlows(predicted.counts, real?.counts),
    notes:
      together === undefined
        ? sideBySide(predicted.observation.notes.map(describeNote), seen?.notes.map(describeNote))
        : batchNotes(predicted.observation, seen),
    finalState: sideBySide(
      describeState(predicted.state),
      real === undefined ? undefined : describeState(real.state),
    ),
    ...(predicted.predictionError === undefined
      ? {}
      : { predictionError: predicted.predictionError }),
    ...(divergence === undefined ? {} : { divergence }),
  };
}

/**
 * Beside what ran in a batch: there hosts knew their neighbours, and came to the
 * same sooner.
 */
function batchNotes({ notes }: Observation, seen: Observation | undefined): readonly Note[] {
  const observedTexts = new Set(seen?.notes.map(describeNoteWithoutTime));
  return notes.map((note) => ({
    text: describeNote(note),
    seen: observedTexts.has(describeNoteWithoutTime(note)) ? 'by both' : 'not observed',
  }));
}

function sideBySide(
  predicted: readonly string[],
  seen: readonly string[] | undefined,
): readonly Note[] {
  if (seen === undefined) return predicted.map((text) => ({ text, seen: 'not observed' }));
  return [
    ...predicted.map(
      (text): Note => ({ text, seen: seen.includes(text) ? 'by both' : 'by the model only' }),
    ),
    ...seen
      .filter((text) => !predicted.includes(text))
      .map((text): Note => ({ text, seen: 'by the switch only' })),
  ];
}

/**
 * The flow that the verdict names, on the first hop at which frames part; that frame where the flow
 * is not on it.
 */
function divergenceOf({ differences }: VectorReport, hops: readonly Hop[]): Divergence | undefined {
  const at = differences.find((difference) => difference.at !== undefined)?.at?.flow;
  const lookupIn = (hop: Hop | undefined): number =>
    at === undefined || hop === undefined
      ? -1
      : hop.lookups.findIndex(({ flow }) => flow !== undefined && flowKey(flow) === flowKey(at));
  const differs = ({ seen }: { readonly seen: string }): boolean =>
    seen.startsWith('by the ') || seen === 'differently';
  const first = hops.findIndex(
    (hop) => (hop.entered !== undefined && differs(hop.entered)) || hop.left.some(differs),
  );
  if (first === -1) {
    const hop = hops.findIndex((candidate) => lookupIn(candidate) !== -1);
    return hop === -1 ? undefined : { kind: 'lookup', hop, index: lookupIn(hops[hop]) };
  }
  const hop = hops[first];
  const index = lookupIn(hop);
  if (index !== -1) return { kind: 'lookup', hop: first, index };
  if (hop?.entered !== undefined && differs(hop.entered)) return { kind: 'entered', hop: first };
  return { kind: 'left', hop: first, index: hop?.left.findIndex(differs) ?? 0 };
}
