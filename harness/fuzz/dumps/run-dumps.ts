/** Dumps of a seed, one after the other; what differs is shrunk to the settings that it needs. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Switches } from '../../testbeds/testbed.js';
import type { FuzzFinding } from '../fuzz-finding.js';
import { deltaDebug } from '../../search/delta-debug.js';
import { drawDump } from './draw-dump.js';
import type { DumpCase } from './dump-case.js';
import { judgeDump } from './judge-dump.js';
import type { SchemaColumn } from './schema-columns.js';

export interface DumpFinding {
  /** Its number in the seed. */
  readonly index: number;
  readonly smallest: DumpCase;
  readonly differences: readonly FuzzFinding[];
}

export interface DumpsResult {
  readonly cases: number;
  readonly frames: number;
  readonly findings: readonly DumpFinding[];
  /** How many were not compared, by the reason. */
  readonly skipped: ReadonlyMap<string, number>;
}

export async function runDumps(options: {
  readonly seed: number;
  readonly count: number;
  readonly first?: number;
  /** Columns are drawn from these. */
  readonly schema: readonly SchemaColumn[];
  readonly open: (plan: NodePlan) => Promise<Switches>;
  readonly onProgress?: (played: number) => void;
}): Promise<DumpsResult> {
  const { seed, count, first = 0, schema, open, onProgress } = options;
  const findings: DumpFinding[] = [];
  const skipped = new Map<string, number>();
  let frames = 0;
  for (let index = first; index < first + count; index++) {
    onProgress?.(index - first);
    const dump = drawDump(seed, index, schema);
    const judgement = await judgeDump(dump, open);
    frames += judgement.frames;
    if (judgement.skipped !== undefined)
      skipped.set(judgement.skipped, (skipped.get(judgement.skipped) ?? 0) + 1);
    const [finding] = judgement.differences;
    if (finding !== undefined) findings.push({ index, ...(await shrink(dump, finding, open)) });
  }
  return { cases: count, frames, findings, skipped };
}

/** Packets first, then settings: what is left differs in the same aspect. */
async function shrink(
  dump: DumpCase,
  { aspect }: FuzzFinding,
  open: (plan: NodePlan) => Promise<Switches>,
): Promise<Pick<DumpFinding, 'smallest' | 'differences'>> {
  const differs = async (smaller: DumpCase) =>
    (await judgeDump(smaller, open)).differences.some((one) => one.aspect === aspect);
  const packets = await deltaDebug(dump.packets, (some) => differs({ ...dump, packets: some }));
  const settings = await deltaDebug(dump.settings, (some) => differs({ packets, settings: some }));
  const smallest = { packets, settings };
  return { smallest, differences: (await judgeDump(smallest, open)).differences };
}
