/** Cases on a switch and on the model: what OVS makes of each, whether that is what the corpus expects, and whether the model says the same. */
import { InputError } from '../base/errors.js';
import { randomFor } from '../base/random.js';
import type { SwitchStep } from '../nouns/switching.js';
import type { Sim } from '../testbeds/sim/sim.js';
import { callsOf } from './calls.js';
import type { Case } from './corpus.js';
import { complaintsAbout } from './judge.js';
import { knownDifference } from './known.js';
import { askModel, type ModelVerdict } from './model.js';
import { bridge, node, planOf, programOf, type Program } from './program.js';

export interface CaseResult {
  readonly name: string;
  readonly description: string;
  readonly switch: SwitchVerdict;
  readonly model: ModelVerdict;
}

export type SwitchVerdict =
  | { readonly kind: 'as-expected' }
  /** Open vSwitch does not take what the case programs it with, and says so. */
  | { readonly kind: 'rejected'; readonly error: string }
  /** It takes it, and does otherwise; `why` where that is known. */
  | { readonly kind: 'otherwise'; readonly complaints: readonly string[]; readonly why?: string };

/**
 * Programs `sim`, brought up from `emptyProgram`, and the model alike, and sends both what the case has.
 * @throws Unavailable when the switch gives out.
 */
export async function playCase(sim: Sim, played: Case): Promise<CaseResult> {
  const program = programOf(played);
  const result = await playProgram(sim, played, program);
  if (program.meters.length > 0) {
    await sim.bundle(node, bridge, deletions);
    await sim.ofctl(node, bridge, 'del-meters');
  }
  return result;
}

async function playProgram(sim: Sim, played: Case, program: Program): Promise<CaseResult> {
  const { name, description, test } = played;
  const error = await reprogram(sim, program);
  if (error !== undefined) return { name, description, switch: { kind: 'rejected', error }, model: { kind: 'not-asked' } };
  const { calls, unmeasured, seconds } = callsOf(test);
  const steps: SwitchStep[] = [];
  for (const call of calls) steps.push(...(await sim.call([call])));
  const measured = steps.slice(unmeasured);
  const seen = { outputs: measured.flatMap(({ outputs }) => outputs), packetIns: measured.flatMap(({ packetIns = [] }) => packetIns), counts: await sim.counts(), seconds };
  const complaints = complaintsAbout(test, seen, randomFor(0, name));
  const why = complaints.length === 0 ? undefined : knownDifference(played, complaints);
  return {
    name, description,
    switch: complaints.length === 0 ? { kind: 'as-expected' } : { kind: 'otherwise', complaints, ...(why === undefined ? {} : { why }) },
    model: await askModel(planOf(program), sim.versions, { calls, steps, counts: seen.counts }),
  };
}

/** Takes away what was there, which is all in one with what comes after it. */
const deletions = ['flow delete', 'group delete group_id=all'];

/** Puts the case's program in the place of what was there; meters there are none yet. @returns what the switch says to a program that it refuses. */
async function reprogram(sim: Sim, { flows, groups, meters }: Program): Promise<string | undefined> {
  try {
    for (const meter of meters) await sim.ofctl(node, bridge, 'add-meter', meter);
    await sim.bundle(node, bridge, [...deletions, ...groups.map((group) => `group add ${group}`), ...flows.map((flow) => `flow add ${flow}`)]);
  } catch (error) {
    if (error instanceof InputError) return inShort(error.message);
    throw error;
  }
  await sim.reset();
  return undefined;
}

/** What ovs-ofctl itself finds wrong with a line, or the error that the switch answers with. */
function inShort(words: string): string {
  const [, why] = /^ovs-ofctl refuses ".*" on \S+: (.*)$/.exec(words) ?? [];
  const [, answer] = /OFPT_ERROR [^:]*: (\w+)/.exec(words) ?? [];
  return why !== undefined ? `ovs-ofctl: ${why}` : answer !== undefined ? `ovs-vswitchd: ${answer}` : words;
}
