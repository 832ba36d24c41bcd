/**
 * Cases on a switch and on the model: what OVS makes of each, whether that is what the corpus
 * expects, and whether the model says the same.
 */
import { InputError } from '../base/errors/errors.js';
import { randomFor } from '../base/random.js';
import type { SwitchStep } from '../domain/switching.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import { callsOf } from './calls.js';
import type { Case } from './corpus.js';
import { expectationFailures } from './expectation-failures.js';
import { knownDeviation } from './known-deviation.js';
import { compareWithModel, type ModelVerdict } from './compare-with-model.js';
import { messagesOf } from './messages.js';
import { refuseModel } from './refuse-model.js';
import { bridge, node, planOf, programOf } from './program.js';

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
  /** It takes it, and does not do what the corpus expects; `why` where that is known. */
  | { readonly kind: 'unexpected'; readonly complaints: readonly string[]; readonly why?: string };

/**
 * Programs `sim`, brought up from `emptyProgram`, and the model alike, and sends both what the case
 * has. The switch gets messages of OpenFlow 1.3, the model their text.
 * @throws Unavailable when the switch fails.
 */
export async function playCase(sim: OvsSwitches, played: Case): Promise<CaseResult> {
  const { name, description, test } = played;
  const error = await reprogram(sim, played);
  if (error !== undefined)
    return {
      name,
      description,
      switch: { kind: 'rejected', error },
      model: refuseModel(planOf(programOf(played)), sim.versions, error),
    };
  const { calls, unmeasured, seconds } = callsOf(test);
  const steps: SwitchStep[] = [];
  for (const call of calls) steps.push(...(await sim.call([call])));
  const measured = steps.slice(unmeasured);
  const seen = {
    outputs: measured.flatMap(({ outputs }) => outputs),
    packetIns: measured.flatMap(({ packetIns = [] }) => packetIns),
    counts: await sim.counts(),
    seconds,
  };
  const complaints = expectationFailures(test, seen, randomFor(0, name));
  const why = complaints.length === 0 ? undefined : knownDeviation(played, complaints);
  return {
    name,
    description,
    switch:
      complaints.length === 0
        ? { kind: 'as-expected' }
        : { kind: 'unexpected', complaints, ...(why === undefined ? {} : { why }) },
    model: await compareWithModel(planOf(programOf(played)), sim.versions, {
      calls,
      steps,
      counts: seen.counts,
    }),
  };
}

/**
 * Puts the case's program in the place of what was there. @returns what the switch says to a
 * program that it refuses.
 */
async function reprogram(sim: OvsSwitches, { prerequisite }: Case): Promise<string | undefined> {
  try {
    await sim.send(node, bridge, 'OpenFlow13', messagesOf(prerequisite));
  } catch (error) {
    if (error instanceof InputError) return error.message.replace(/^.* refuses: /, '');
    throw error;
  }
  await sim.reset();
  return undefined;
}
