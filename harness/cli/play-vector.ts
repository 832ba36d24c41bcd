/** One vector of a scenario on fresh switches, as the searches ask for it. */
import type { Scenario } from '../domain/scenario.js';
import { defaultBackend } from '../testbeds/registry.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';
import { InputError, Unavailable, Unsupported, unknownName } from '../base/errors/errors.js';
import { assembleRun } from '../run/assemble-run.js';
import { runScenario, type ScenarioRun } from '../run/run-scenario.js';
import { rowsOfRecord } from '../history/rows-of-record.js';
import type { HistoryRow } from '../history/history-row.js';
import type { Context } from './context.js';
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
}

/** @throws InputError for a scenario that is wrong, or that has no such vector. */
export async function playVector(
  context: Context,
  { scenario, axes, vector, seed, switches }: VectorRequest,
): Promise<HistoryRow> {
  const options = {
    seed,
    nowMs: () => 0,
    only: ({ id }: { readonly id: string }) => id === vector,
  };
  const run: ScenarioRun =
    switches === 'model'
      ? await runScenario(scenario, axes, {
          ...options,
          openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
        })
      : await runScenario(scenario, axes, {
          ...options,
          version: await oldestVersion(switches),
          ...switchOpenersFor(0, switches, context.teardown, []),
        });
  const image = switches === 'model' ? undefined : switches.real.image;
  const record = assembleRun([run], {
    again: '',
    seed,
    backend: switches === 'model' ? 'model' : switches.real.backend.name,
    image: image?.name ?? 'model',
    imageDigest: image?.digest ?? '',
  });
  const rows = rowsOfRecord(record, {
    night: '',
    at: '',
    machine: '',
    program: '',
    memoryKib: null,
    gates: true,
    folder: '',
  });
  const found = rows.find((row) => row.vector === vector);
  if (found === undefined) throw unknownName('vector', vector, vectorIdsOf(scenario, axes));
  const cause = run.report.inconclusive?.cause;
  if (found.verdict === 'inconclusive')
    throw new Unavailable(`${vector} has no verdict: ${cause ?? found.summary}`);
  return found;
}

/** What keeps a candidate of a search from being asked, as words; others propagate. */
export function whyNotAsked(error: unknown): string {
  if (error instanceof InputError || error instanceof Unavailable || error instanceof Unsupported)
    return error.message.split('\n')[0] ?? '';
  throw error;
}

export const searchBackend = defaultBackend;
