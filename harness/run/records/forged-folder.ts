/**
 * Folders of runs on the model in place of switches, and the same forged: with another content, and
 * all that follows from it made again, as somebody would who wants to be believed. For tests.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../base/files/digest.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Switches } from '../../testbeds/testbed.js';
import { assembleRun } from '../shards/assemble-run.js';
import { recordedInputs, sealOf, type RecordedInputs, type RunManifest } from './manifest.js';
import { recordFormat, type RunRecord } from './run-record.js';
import { runScenario } from '../run-scenario.js';
import { traceHashOf } from './trace-hash.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

export const openReal = (plan: ClusterPlan): Promise<Switches> =>
  Promise.resolve(openModelSwitches(plan));

export async function runOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  wanted: (id: string) => boolean = () => true,
): Promise<RunRecord> {
  const only = ({ id }: { readonly id: string }) => wanted(id);
  const options = { seed: 1, depth: 'cold', nowMs: () => 0, openReal, only } as const;
  return assembleRun([await runScenario(scenario, axes, options)], {
    again: './flowbed run',
    seed: 1,
    backend: 'sim',
    image: 'trixie',
    imageDigest: sha256('trixie'),
  });
}

/** What a run's folder holds. */
export interface Documents {
  readonly manifest: Pick<RunManifest, 'format' | 'machine'>;
  readonly report: RunRecord['report'];
  readonly scenarios: RunRecord['scenarios'];
}

/** Makes again what follows from what is recorded, as far as anything does. */
export function fitted({ manifest, report, scenarios }: Documents): Documents {
  const reported = report.scenarios.map((scenario, index) => ({
    ...scenario,
    traceHash: orAsItWas(scenario.traceHash, () => traceHashOf(scenarios[index]?.vectors ?? [])),
    vectors: scenario.vectors.map((vector, place) =>
      orAsItWas(vector, () => {
        const { id, stimulus } = scenarios[index]?.vectors[place]?.vector ?? vector;
        return { ...vector, id, stimulus };
      }),
    ),
  }));
  const traceHash = sha256(reported.map((scenario) => scenario.traceHash).join('\n'));
  return { manifest, report: { ...report, scenarios: reported, traceHash }, scenarios };
}

const emptied = {} as RecordedInputs;

/** Writes them with digests and a seal that fit. */
export async function forge(
  folder: string,
  { manifest, report, scenarios }: Documents,
): Promise<void> {
  const texts = new Map([
    ['report.json', JSON.stringify(report)],
    ['record.json', JSON.stringify({ format: recordFormat, scenarios })],
  ]);
  await writeFile(join(folder, 'report.json'), texts.get('report.json') ?? '');
  await writeFile(join(folder, 'record.json'), texts.get('record.json') ?? '');
  const digests = Object.fromEntries([...texts].map(([name, text]) => [name, sha256(text)]));
  const content = {
    ...manifest,
    ...orAsItWas(emptied, () => recordedInputs({ report, scenarios })),
    files: digests,
  };
  const seal = orAsItWas('', () => sealOf(content));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...content, seal }));
}

function orAsItWas<T>(before: T, again: () => T): T {
  try {
    return again();
  } catch {
    return before;
  }
}
