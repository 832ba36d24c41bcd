/** One case through the model and through a real switch. */
import { InputError, Unavailable } from '../base/errors/errors.js';
import { tooLong } from '../ovs/openflow/openflow-messages.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import type { FuzzCase } from './fuzz-case.js';
import { acceptanceFinding, crashFinding } from './fuzz-finding.js';
import { networkOf, nodeOf, programsOf } from './fuzz-network.js';
import { playSteps } from './play-steps.js';
import { readCase } from './read-case.js';
import type { CaseJudgement, Sides } from './case-judgement.js';

const emptyJudgement: CaseJudgement = {
  differences: [],
  compared: { sent: 0, frames: 0, counters: 0 },
  refused: [],
  skipped: [],
  played: [],
  counts: [],
  ties: 0,
};

/** @throws Unavailable when the switch fails by anything but a crash of its own. */
export async function judgeCase(sides: Sides, whole: FuzzCase): Promise<CaseJudgement> {
  try {
    return await judgeOnLiveSwitch(sides, whole);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError)
      return {
        ...emptyJudgement,
        differences: [
          crashFinding(
            'the model fails',
            (error.stack ?? error.message)
              .split('\n')
              .slice(0, 2)
              .map((line) => line.trim())
              .join(' '),
            'runs on',
          ),
        ],
      };
    const isTooLong = error instanceof Unavailable && error.message.endsWith(tooLong);
    if (!(error instanceof Unavailable && (isTooLong || switchCrash.test(error.message))))
      throw error;
    await sides.restart(networkOf(whole));
    if (isTooLong)
      return { ...emptyJudgement, skipped: [{ kind: 'nondeterministic', why: error.message }] };
    return {
      ...emptyJudgement,
      differences: [
        crashFinding('the switch dies', 'runs on', error.evidence.at(-1) ?? error.message),
      ],
    };
  }
}

/** A failed assertion, or memory that is not the program's. */
const switchCrash = /was ended by SIG(ABRT|SEGV|BUS|FPE|ILL)/;

async function judgeOnLiveSwitch(sides: Sides, whole: FuzzCase): Promise<CaseJudgement> {
  const sim = await sides.sim(networkOf(whole));
  const { accepted, rejections: complaints } = readCase(whole, sides.behaviour);
  const refused: string[] = [];
  for (const { bridge: at, line, why } of complaints) {
    const refusal = await refusalOf(sim, at, [line]);
    if (refusal === undefined)
      return {
        ...emptyJudgement,
        differences: [acceptanceFinding(line, why, 'accepts it')],
      };
    refused.push(refusal);
  }
  const programs = programsOf(accepted).map(({ at, groups, flows }) => ({
    at,
    lines: [
      'flow delete',
      'group delete',
      ...groups.map((group) => `group add ${group}`),
      ...flows.map((flow) => `flow add ${flow}`),
    ],
  }));
  for (const { at, lines } of programs) {
    const refusal = await refusalOf(sim, at, lines);
    if (refusal !== undefined)
      return {
        ...emptyJudgement,
        refused,
        differences: [acceptanceFinding(`flows and groups of ${at}`, 'accepts them', refusal)],
      };
  }
  await sim.reset();
  const played = await playAndCleanUp(sides, sim, accepted, 'in runs');
  if (played.differences.length === 0) return { ...played, refused };
  // What differs is reported packet by packet.
  for (const { at, lines } of programs) await sim.bundle(nodeOf(at), at, lines);
  await sim.reset();
  const again = await playAndCleanUp(sides, sim, accepted, 'one by one');
  // Which of two flows a packet took shows in counters only where it went in alone.
  return { ...(again.differences.length === 0 && played.ties === 0 ? played : again), refused };
}

/**
 * What flows have learned goes with them, where they say so: in the bundle that brings other flows
 * it would take those along.
 */
async function playAndCleanUp(
  sides: Sides,
  sim: OvsSwitches,
  accepted: FuzzCase,
  how: 'in runs' | 'one by one',
): ReturnType<typeof playSteps> {
  const played = await playSteps(sim, sides, accepted, how);
  for (const { at, flows } of programsOf(accepted)) {
    const added = accepted.steps.flatMap((step) =>
      step.kind === 'change' && step.bridge === at ? step.lines : [],
    );
    if ([...flows, ...added].some((text) => text.includes('delete_learned')))
      await sim.bundle(nodeOf(at), at, ['flow delete']);
  }
  return played;
}

/** What the switch says against the lines of a bundle; undefined where it carries them out. */
async function refusalOf(
  sim: OvsSwitches,
  at: string,
  lines: readonly string[],
): Promise<string | undefined> {
  try {
    await sim.bundle(nodeOf(at), at, lines);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
