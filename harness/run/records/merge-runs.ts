/** Runs of the shards of one matrix, as the one run that they are. */
import { InputError } from '../../base/errors/errors.js';
import { canonicalJson } from '../../base/files/digest.js';
import { assembleRun } from '../shards/assemble-run.js';
import type { RunRecord } from './run-record.js';
import type { RunReport } from './run-report.js';
import type { ScenarioRun } from '../run-scenario.js';

/** A run that was read, with the name of its folder. */
export interface NamedRun {
  readonly name: string;
  readonly record: RunRecord;
}

/** @throws InputError where one is no shard, is of another run, is missing, or is there twice. */
export function mergeRuns(runs: readonly NamedRun[]): RunRecord {
  const [first] = runs;
  if (first === undefined) throw new InputError('there is no run to merge');
  const metadata = metadataOf(first.record.report);
  const placed = new Map<number, ScenarioRun>();
  const shards = new Map<number, string>();
  let of = 0;
  for (const { name, record } of runs) {
    const { shard } = record.report;
    if (shard === undefined)
      throw new InputError(`${name} is no shard: it was run without --shard`);
    of = shard.of;
    const other = differingPart(metadata, metadataOf(record.report));
    if (other !== undefined)
      throw new InputError(`${name} is of another run than ${first.name}: its ${other} differs`);
    const twin = shards.get(shard.index);
    if (twin !== undefined)
      throw new InputError(`${name} and ${twin} are both shard ${shard.index}/${shard.of}`);
    shards.set(shard.index, name);
    for (const [index, place] of shard.points.entries()) {
      const [report, kept] = [record.report.scenarios[index], record.scenarios[index]];
      if (report !== undefined && kept !== undefined)
        placed.set(place, { report, record: kept, versions: record.report.versions });
    }
  }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter(
    (index) => !shards.has(index),
  );
  if (missing.length > 0)
    throw new InputError(`shards are missing: ${missing.map((one) => `${one}/${of}`).join(', ')}`);
  const { of: _, ...common } = metadata;
  return assembleRun(
    [...placed].toSorted(([a], [b]) => a - b).map(([, run]) => run),
    common,
  );
}

type Metadata = Pick<
  RunReport,
  'again' | 'seed' | 'backend' | 'image' | 'imageDigest' | 'isolation' | 'reference'
> & { readonly of: number };

function metadataOf(report: RunReport): Metadata {
  const { again, seed, backend, image, imageDigest, isolation, reference, shard } = report;
  return {
    again,
    seed,
    backend,
    image,
    imageDigest,
    ...(isolation === undefined ? {} : { isolation }),
    ...(reference === undefined ? {} : { reference }),
    of: shard?.of ?? 0,
  };
}

/** Machines may isolate switches differently: that is no other run. */
function differingPart(a: Metadata, b: Metadata): string | undefined {
  return (['again', 'seed', 'backend', 'image', 'imageDigest', 'reference', 'of'] as const).find(
    (part) => canonicalJson(a[part] ?? null) !== canonicalJson(b[part] ?? null),
  );
}
