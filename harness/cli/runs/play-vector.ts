/** One vector of a scenario on fresh switches, as the searches ask for it. */
import type { Scenario } from '../../domain/scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';
import { InputError, Unavailable, Unsupported, unknownName } from '../../base/errors/errors.js';
import { assembleRun } from '../../run/shards/assemble-run.js';
import type { RunRecord } from '../../run/records/run-record.js';
import { runScenario, type ScenarioRun } from '../../run/run-scenario.js';
import { rowsOfRecord } from '../../history/rows-of-record.js';
import type { HistoryRow } from '../../history/history-row.js';
import type { Context } from '../context.js';
import { oldestVersion, type RunSwitches } from './run-switches.js';
import { switchOpenersFor } from './switch-opener.js';
import { vectorIdsOf } from './timeline-vectors.js';

export interface VectorRequest {
  readonly scenario: Scenario;
  readonly axes: Readonly<Record<string, string>>;
  readonly vector: string;
  readonly seed: number;
  /** `model`: a second model stands in for the switches. */
  readonly switches: RunSwitches | 'model';
  /** Whether what it needs is counted; it is not where this is missing. */
  readonly work?: 'counted';
  /** The command that plays it again, for its record. */
  readonly again?: string;
}

export interface PlayedVector {
  readonly row: HistoryRow;
  readonly record: RunRecord;
}

/** @throws InputError for a scenario that is wrong, or that has no such vector. */
export async function playVector(context: Context, request: VectorRequest): Promise<PlayedVector> {
  const { scenario, axes, vector } = request;
  const run = await runVector(context, request);
  const record = recordOf(run, request);
  const rows = rowsOfRecord(record, {
    night: '',
    at: '',
    machine: '',
    program: '',
    memoryKib: null,
    gates: true,
    folder: '',
  });
  const row = rows.find((one) => one.vector === vector);
  if (row === undefined) throw unknownName('vector', vector, vectorIdsOf(scenario, axes));
  if (row.verdict === 'inconclusive') {
    const { cause = row.summary, remedies = [], evidence = [] } = run.report.inconclusive ?? {};
    throw new Unavailable(`${vector} has no verdict: ${cause}`, remedies, evidence);
  }
  return { row, record };
}

async function runVector(
  context: Context,
  { scenario, axes, vector, seed, switches, work }: VectorRequest,
): Promise<ScenarioRun> {
  const options = {
    seed,
    ...(work === undefined ? {} : { work }),
    nowMs: () => 0,
    only: ({ id }: { readonly id: string }) => id === vector,
  };
  return switches === 'model'
    ? await runScenario(scenario, axes, {
        ...options,
        openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
      })
    : await runScenario(scenario, axes, {
        ...options,
        version: await oldestVersion(switches),
        ...switchOpenersFor(0, switches, context.teardown, []),
      });
}

function recordOf(run: ScenarioRun, { seed, switches, again = '' }: VectorRequest): RunRecord {
  const image = switches === 'model' ? undefined : switches.real.image;
  return assembleRun([run], {
    again,
    seed,
    backend: switches === 'model' ? 'model' : switches.real.backend.name,
    image: image?.name ?? 'model',
    imageDigest: image?.digest ?? '',
  });
}

/** What keeps a candidate of a search from being asked, as words; others propagate. */
export function whyNotAsked(error: unknown): string {
  if (error instanceof InputError || error instanceof Unavailable || error instanceof Unsupported)
    return error.message.split('\n')[0] ?? '';
  throw error;
}
