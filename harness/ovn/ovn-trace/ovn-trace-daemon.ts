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
import { readOvnTrace } from './read-ovn-trace.js';

/** What one packet is asked with. */
export interface TraceQuestion {
  /** Of `--ct`, as many as the tracker is expected to be asked for. */
  readonly states: readonly string[];
  readonly microflow: string;
}

/** Fewer are asked for by one program each. */
const fewest = 3;

/** By one daemon: all states are words of its command line. */
const most = 500;

/**
 * What it prints for each packet. Undefined where a program of its own has to be asked: where it
 * takes other states than were given for the packet, refuses it, or ends itself. A daemon takes
 * states from its command line one after the other (its `trace` has no `--ct`), so a new one is
 * started behind such a packet.
 */
export async function answersInTurn(
  image: Pick<Image, 'command'>,
  zone: Pick<Zone, 'name' | 'south' | 'whileAlive'>,
  questions: readonly TraceQuestion[],
): Promise<readonly (string | undefined)[]> {
  const answers: (string | undefined)[] = [];
  while (questions.length - answers.length >= fewest) {
    const rest = questions.slice(answers.length, answers.length + most);
    answers.push(...(await zone.whileAlive(answersOfOneDaemon(image, zone, rest))));
  }
  return questions.map((_, index) => answers[index]);
}

/** At least one: up to the first packet that has to be asked about by itself, which is the last. */
async function answersOfOneDaemon(
  image: Pick<Image, 'command'>,
  { name, south }: Pick<Zone, 'name' | 'south'>,
  questions: readonly TraceQuestion[],
): Promise<readonly (string | undefined)[]> {
  const socket = socketPath(dirname(south.socket), 'ovn-trace.ctl');
  // It returns once the database is read, and leaves the daemon, which ends with the database.
  const { failure } = await runProgram(image, 'ovn-nbctl', [
    ...['--detach', '--no-chdir', `--unixctl=${socket}`, `--db=unix:${south.socket}`],
    ...questions.flatMap(({ states }) => states),
  ]);
  if (failure !== undefined) return [undefined];
  const unixctl = await connectUnixctl(socket, {
    name: `ovn-trace of zone ${name}`,
    whyEnded: () => Promise.resolve(new Unavailable(`ovn-trace of zone ${name} has ended`)),
  });
  const answers: (string | undefined)[] = [];
  try {
    for (const { states, microflow } of questions) {
      const printed = await unixctl.call('trace', microflow).catch(refusedOrEnded);
      const isSound = printed !== undefined && statesTakenBy(printed) === states.length;
      answers.push(isSound ? printed : undefined);
      if (!isSound) break;
    }
    await unixctl.call('exit').catch(refusedOrEnded);
  } finally {
    unixctl.close();
  }
  return answers;
}

function statesTakenBy(printed: string): number {
  return readOvnTrace(printed).tracked.length;
}

function refusedOrEnded(error: unknown): undefined {
  if (!(error instanceof InputError || error instanceof Unavailable)) throw error;
}
