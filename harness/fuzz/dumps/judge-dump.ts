/** One dump through the reader, the model and a real switch that is built from it. */
import { InputError, Unavailable, Unsupported } from '../../base/errors/errors.js';
import { dumpedSwitch } from '../../dumps/dumped-switch.js';
import { withBonds } from '../../dumps/shown-bonds.js';
import { bridgesOf } from '../../dumps/ovsdb/database-bridges.js';
import { readDatabase } from '../../dumps/ovsdb/read-database.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Switches } from '../../testbeds/testbed.js';
import {
  checkPackets,
  withControllers,
  type CheckResult,
  type Injection,
} from '../../trace/check-packets.js';
import { acceptanceFinding, crashFinding, type FuzzFinding } from '../fuzz-finding.js';
import type { DumpCase } from './dump-case.js';
import { dumpsOf } from './print-dumps.js';

export interface DumpJudgement {
  /** Empty where all did the same, as far as it was compared. */
  readonly differences: readonly FuzzFinding[];
  /** Why it was not compared, or not to its end. */
  readonly skipped?: string;
  readonly frames: number;
}

export async function judgeDump(
  dump: DumpCase,
  open: (plan: NodePlan) => Promise<Switches>,
): Promise<DumpJudgement> {
  let plan: NodePlan;
  try {
    plan = withControllers(readDumps(dump));
  } catch (error) {
    return failed(error, 'the reader');
  }
  try {
    const real = await open(plan);
    try {
      return judged(await checkPackets(plan, real, injectionsOf(dump, plan)));
    } finally {
      await real.close();
    }
  } catch (error) {
    return failed(error, 'the switch');
  }
}

function readDumps(dump: DumpCase): NodePlan {
  const { sources, database, bonds } = dumpsOf(dump);
  if (database === undefined) return dumpedSwitch(sources).plan;
  const bridges = bridgesOf(readDatabase({ file: 'ovsdb.json', text: database }));
  if (bonds === undefined) return dumpedSwitch(sources, bridges).plan;
  const shown = { file: 'bonds', text: bonds };
  return dumpedSwitch(sources, withBonds(bridges, shown), undefined, shown).plan;
}

/** Into ports that have a wire: nothing comes into a patch port from outside. */
function injectionsOf({ packets }: DumpCase, { bridges }: NodePlan): readonly Injection[] {
  const wired = new Set(
    bridges.flatMap(({ name, ports }) => [
      name,
      ...ports.filter(({ kind }) => kind !== 'patch').map((port) => port.name),
    ]),
  );
  return packets
    .filter(({ port }) => wired.has(port))
    .map(({ port, frame }) => ({ port, frame: Uint8Array.from(Buffer.from(frame, 'hex')) }));
}

function judged({ findings, counts }: CheckResult): DumpJudgement {
  return { differences: findings, frames: counts.frames.made };
}

/** @throws everything that is neither a refusal nor a crash. */
function failed(error: unknown, by: 'the reader' | 'the switch'): DumpJudgement {
  if (error instanceof Unsupported || error instanceof Unavailable)
    return { differences: [], frames: 0, skipped: error.message };
  if (error instanceof InputError)
    return by === 'the reader'
      ? { differences: [], frames: 0, skipped: error.message }
      : { differences: [acceptanceFinding('a dump', 'is read', error.message)], frames: 0 };
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  const [first = '', second = ''] = stack.split('\n').map((line) => line.trim());
  return { differences: [crashFinding(`${by} fails`, `${first} ${second}`, 'runs on')], frames: 0 };
}
