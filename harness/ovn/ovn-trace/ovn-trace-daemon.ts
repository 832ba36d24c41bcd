/**
 * ovn-trace(8) as a daemon, which reads the southbound database once and is then asked packet by
 * packet: to start the program for each takes longer than its answers do.
 */
import { dirname } from 'node:path';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import type { Image } from '../../ovs/process/image.js';
import { runProgram } from '../../ovs/process/run-program.js';
import { connectUnixctl } from '../../ovs/unixctl.js';
import { socketPath } from '../../ovs/workspace/socket-path.js';
import type { Zone } from '../zone.js';
import { ctOption } from './ct-option.js';
import { readOvnTrace } from './read-ovn-trace.js';

/** What one packet is asked with. */
export interface TraceQuestion {
  /** What the tracker is expected to say, each time that it is asked: bits of ct_state. */
  readonly states: readonly number[];
  readonly microflow: string;
  /** How often it has asked before, where that is known; `states` may be fewer. */
  readonly taken?: number;
}

export interface DaemonAnswer {
  readonly printed: string;
  /** What it was given, each time that it asked. */
  readonly states: readonly number[];
}

/** A single packet is asked for by a program. */
const fewest = 2;

/** est and trk, which it takes by itself where it was given no more. */
export const established = 0x22;

/** By one daemon: all states are words of its command line. */
const most = 250;

/** States that a packet takes, at most, where all are the same. */
const statesMax = 8;

/**
 * What daemons print for each packet. Undefined where a program of its own has to be asked: where
 * it refuses the packet, or ends itself. A daemon takes states from its command line one after the
 * other, whatever packet it is asked for (its `trace` has no `--ct`): so there is one for all
 * packets to which the tracker always says the same, of which it does not matter how many they
 * take, and one for all others, which is given the states of each.
 */
export async function answersOfDaemons(
  image: Pick<Image, 'command'>,
  zone: Pick<Zone, 'name' | 'south' | 'whileAlive'>,
  questions: readonly TraceQuestion[],
): Promise<readonly (DaemonAnswer | undefined)[]> {
  const answers = new Map<TraceQuestion, DaemonAnswer | undefined>();
  for (const [state, asked] of byState(questions)) {
    let left = asked;
    while (left.length >= fewest) {
      const now = left.slice(0, most);
      const given = await zone.whileAlive(answersOfOneDaemon(image, zone, now, state));
      given.forEach((answer, index) => answers.set(left[index] as TraceQuestion, answer));
      left = left.slice(given.length);
    }
  }
  return questions.map((question) => answers.get(question));
}

/** A packet of which the tracker is not asked goes with any. Undefined: each has its own. */
function byState(
  questions: readonly TraceQuestion[],
): ReadonlyMap<number | undefined, TraceQuestion[]> {
  const anyState = questions.find(({ states }) => states.length > 0)?.states[0] ?? established;
  const groups = new Map<number | undefined, TraceQuestion[]>();
  for (const question of questions) {
    const [first = anyState, ...others] = new Set(question.states);
    const state = others.length === 0 && question.taken === undefined ? first : undefined;
    groups.set(state, [...(groups.get(state) ?? []), question]);
  }
  return groups;
}

/** A daemon that ends removes its socket, at a time when the next one may have made its own. */
let daemons = 0;

/** At least one: up to the first packet behind which the daemon is at another's states, or gone. */
async function answersOfOneDaemon(
  image: Pick<Image, 'command'>,
  { name, south }: Pick<Zone, 'name' | 'south'>,
  questions: readonly TraceQuestion[],
  state: number | undefined,
): Promise<readonly (DaemonAnswer | undefined)[]> {
  const socket = socketPath(dirname(south.socket), `ovn-trace-${++daemons}.ctl`);
  const given = questions.flatMap((question) =>
    state === undefined ? ownStates(question) : Array.from({ length: statesMax }, () => state),
  );
  // It returns once the database is read, and leaves the daemon, which ends with the database.
  const { failure } = await runProgram(image, 'ovn-nbctl', [
    ...['--detach', '--no-chdir', `--unixctl=${socket}`, `--db=unix:${south.socket}`],
    ...given.map(ctOption),
  ]);
  if (failure !== undefined) return [undefined];
  const unixctl = await connectUnixctl(socket, {
    name: `ovn-trace of zone ${name}`,
    whyEnded: () => Promise.resolve(new Unavailable(`ovn-trace of zone ${name} has ended`)),
  });
  const answers: (DaemonAnswer | undefined)[] = [];
  try {
    let place = 0;
    for (const question of questions) {
      const printed = await unixctl.call('trace', question.microflow).catch(refusedOrEnded);
      const taken = printed === undefined ? 0 : readOvnTrace(printed).tracked.length;
      const states = Array.from({ length: taken }, (_, at) => given[place + at] ?? established);
      answers.push(printed === undefined ? undefined : { printed, states });
      const isApart = state === undefined && taken !== ownStates(question).length;
      if (printed === undefined || isApart) break;
      place += taken;
    }
    await unixctl.call('exit').catch(refusedOrEnded);
  } finally {
    unixctl.close();
  }
  return answers;
}

function ownStates({ states, taken = 0 }: TraceQuestion): readonly number[] {
  return [...states, ...Array.from({ length: taken - states.length }, () => established)];
}

function refusedOrEnded(error: unknown): undefined {
  if (!(error instanceof InputError || error instanceof Unavailable)) throw error;
}
