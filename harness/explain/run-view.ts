/**
 * A run as people inspect it: who sent what to whom, the verdict at three levels, and the path of
 * every vector with the model beside the switch. Plain data, ready to be rendered; what the model
 * did is predicted again from plan, vector and seed.
 */
import { assert } from '../base/errors/errors.js';
import { yieldToEventLoop } from '../base/concurrency/yield-to-event-loop.js';
import type { FlowId } from '../domain/switching.js';
import type { Topology } from '../domain/topology.js';
import type {
  RecordedBatch,
  RunRecord,
  ScenarioRecord,
  VectorRecord,
} from '../run/records/run-record.js';
import type { RunReport, ScenarioReport } from '../run/records/run-report.js';
import { flowSource } from '../run/flow-sources.js';
import { equivalentFlows } from '../run/judging/equivalent-flows.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import { partiesOf, type Party } from './party.js';
import { noPrediction, notPlayed, predictTimeline, predictVector } from './prediction.js';
import { vectorView, type VectorView } from './vector-view.js';

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
  const plans = [plan, ...(record.timeline ?? []).map((event) => event.plan)];
  const sourceOf = (flow: FlowId) => plans.flatMap((one) => flowSource(one, flow) ?? [])[0];
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
    const view = vectorView(
      vectorReport,
      recorded,
      pass,
      predicted,
      predicted.parties ?? parties,
      sourceOf,
      equivalentFlows(predicted.plan ?? plan),
    );
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
