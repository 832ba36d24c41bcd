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
}

export interface DaemonAnswer {
  readonly printed: string;
  /** What it was given, each time that it asked. */
  readonly states: readonly number[];
}

/** A single packet is asked for by a program. */
const fewest = 2;

/** est and trk, which it takes by itself. */
const established = 0x22;

/** By one daemon: all states are words of its command line. */
const most = 250;

/** That a packet takes, at most, of those of a daemon. */
const statesMax = 8;

/**
 * What daemons print for each packet. Undefined where a program of its own has to be asked: where
 * it refuses the packet, or ends itself. A daemon takes states from its command line one after the
 * other, whatever packet it is asked for (its `trace` has no `--ct`): so there is one for all
 * packets to which the tracker always says the same. Others are asked for by programs.
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
      const daemon = answersOfOneDaemon(image, zone, state, left.slice(0, most));
      const given = await zone.whileAlive(daemon);
      given.forEach((answer, index) => answers.set(left[index] as TraceQuestion, answer));
      left = left.slice(given.length);
    }
  }
  return questions.map((question) => answers.get(question));
}

/** A packet of which the tracker is not asked goes with any. */
function byState(questions: readonly TraceQuestion[]): Map<number, TraceQuestion[]> {
  const anyState = questions.find(({ states }) => states.length > 0)?.states[0] ?? established;
  const groups = new Map<number, TraceQuestion[]>();
  for (const question of questions) {
    const [state = anyState, ...others] = new Set(question.states);
    if (others.length === 0) groups.set(state, [...(groups.get(state) ?? []), question]);
  }
  return groups;
}

/** A daemon that ends removes its socket, at a time when the next one may have made its own. */
let daemons = 0;

/** At least one: up to the first packet that has to be asked about by itself, which is the last. */
async function answersOfOneDaemon(
  image: Pick<Image, 'command'>,
  { name, south }: Pick<Zone, 'name' | 'south'>,
  state: number,
  questions: readonly TraceQuestion[],
): Promise<readonly (DaemonAnswer | undefined)[]> {
  const socket = socketPath(dirname(south.socket), `ovn-trace-${++daemons}.ctl`);
  // It returns once the database is read, and leaves the daemon, which ends with the database.
  const { failure } = await runProgram(image, 'ovn-nbctl', [
    ...['--detach', '--no-chdir', `--unixctl=${socket}`, `--db=unix:${south.socket}`],
    ...Array.from({ length: questions.length * statesMax }, () => ctOption(state)),
  ]);
  if (failure !== undefined) return [undefined];
  const unixctl = await connectUnixctl(socket, {
    name: `ovn-trace of zone ${name}`,
    whyEnded: () => Promise.resolve(new Unavailable(`ovn-trace of zone ${name} has ended`)),
  });
  const answers: (DaemonAnswer | undefined)[] = [];
  try {
    for (const { microflow } of questions) {
      const printed = await unixctl.call('trace', microflow).catch(refusedOrEnded);
      const taken = printed === undefined ? 0 : readOvnTrace(printed).tracked.length;
      const isSound = printed !== undefined && taken <= statesMax;
      const states = Array.from({ length: taken }, () => state);
      answers.push(isSound ? { printed, states } : undefined);
      if (!isSound) break;
    }
    await unixctl.call('exit').catch(refusedOrEnded);
  } finally {
    unixctl.close();
  }
  return answers;
}

function refusedOrEnded(error: unknown): undefined {
  if (!(error instanceof InputError || error instanceof Unavailable)) throw error;
}
