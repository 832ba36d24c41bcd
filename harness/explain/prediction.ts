/** What the model did, predicted again from plan, vector and seed. */
import { Unsupported } from '../base/errors/errors.js';
import { yieldToEventLoop } from '../base/concurrency/yield-to-event-loop.js';
import type { Observation } from '../domain/observation.js';
import type { SwitchState } from '../domain/switch-state.js';
import type { FlowCount } from '../domain/switching.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';
import { oracleFrom } from '../lockstep/oracle.js';
import type { Trace } from '../model/trace/trace.js';
import type { VectorRecord, RecordedBatch, ScenarioRecord } from '../run/records/run-record.js';
import type { ModelTestbed } from '../testbeds/model/model-testbed.js';
import { replayVectors } from '../run/timeline/replay-vectors.js';
import { partiesOf, type Party } from './party.js';
import type { PassName } from '../domain/test-vector.js';

export interface Prediction {
  readonly observation: Observation;
  readonly counts: readonly FlowCount[];
  readonly state: SwitchState;
  readonly traces: readonly Trace[];
  readonly predictionError?: string;
  /** Who was there then, where that changes. */
  readonly parties?: readonly Party[];
  /** What there was then, where that changes. */
  readonly plan?: ScenarioRecord['plan'];
}

export const noPrediction: Prediction = {
  observation: { frames: [], notes: [] },
  counts: [],
  state: { connections: [], macs: [] },
  traces: [],
};

export const notPlayed: Prediction = {
  ...noPrediction,
  predictionError: 'it was not played to its end',
};

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
 * Each vector of a timeline that was played, in order; where the model cannot predict, it cannot
 * from there on.
 */
export async function predictTimeline(
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
      plan,
    } of replayVectors(record, cluster, (kept) => (oracle = recordedOracle(kept)))) {
      await yieldToEventLoop();
      const traces = model.traces();
      predicted.push({
        observation: observation ?? noPrediction.observation,
        traces: traces.slice(before),
        counts: await model.counts(),
        state: await model.state(),
        parties: partiesOf(topology),
        plan,
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

/**
 * Of the recorded passes, the one called `shown` as the model has it, and how things stand after
 * all of them.
 */
export async function predictVector(
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
