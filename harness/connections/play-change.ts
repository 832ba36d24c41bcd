/**
 * A connection that talks round by round before a change, while it is made, and behind it, and one
 * that is opened behind it. What is seen of them, and in which rounds.
 */
import { assert } from '../base/errors/errors.js';
import { systemProgram } from '../ovs/process/system-program.js';
import type { CapturedFrame } from '../streams/captured.js';
import type { RealCluster } from '../throughput/cluster/real-cluster.js';
import { startCaptures } from './capture.js';
import type { LiveChange } from './changes.js';
import { startTalker, type Talker } from './talker.js';
import { echoProgram, talkProgram } from './talking-programs.js';

/** Of a round, each way: some segments. */
export const roundBytes = 8000;
const roundsEachSide = 10;
/** A connection that has to live may wait for as long as a slow machine takes for the change. */
const livesMs = 60_000;
const noAnswerMs = 3000;

export interface PlayedChange {
  /** The port of the client's end. */
  readonly clientPort: number;
  /** How many were over when the change began, and when it and the round within it were over. */
  readonly before: number;
  readonly within: number;
  /** How many there were in all, and with how many that would have been enough. */
  readonly rounds: number;
  readonly wanted: number;
  /** Missing where it lived to its end. */
  readonly cut?: string;
  /** The pod that has taken it, or why nobody has; `open` and cut later as well. */
  readonly newOne: { readonly at: string } | { readonly cut: string };
  readonly frames: ReadonlyMap<string, readonly CapturedFrame[]>;
}

/**
 * @param behind what is done once the change is made: nothing, but for a fault.
 * @param captureBytes a fault: what the buffers of captures take.
 */
export async function playChange(
  cluster: RealCluster,
  { client, servers, server, to, newOne }: LiveChange,
  change: () => Promise<void>,
  behind: () => Promise<void> = () => Promise.resolve(),
  captureBytes?: number,
): Promise<PlayedChange> {
  const started: { close(): Promise<void> }[] = [];
  const start = (what: string, pod: string, program: string, args: readonly string[]) => {
    const command = [systemProgram('perl'), '-e', program, ...args] as const;
    const talker = startTalker(what, cluster.inHost(pod, command));
    started.push(talker);
    return talker;
  };
  const talk = (limitMs: number) =>
    start('the client', client.pod, talkProgram, [
      ...[to.ip, to.port, roundBytes, limitMs].map(String),
    ]);
  try {
    const captures = await startCaptures(cluster, [client.pod, ...servers], captureBytes);
    started.push(captures);
    const echoes = new Map<string, Talker>();
    for (const pod of servers)
      echoes.set(pod, start(`the server of ${pod}`, pod, echoProgram, [String(to.port)]));
    for (const echo of echoes.values()) assert((await echo.next()) === 'ready', 'it listens');
    const living = talk(livesMs);
    const clientPort = portOf(await living.next());
    await echoes.get(server)?.next(); // `open`: it ends where it has to, or nowhere
    const played = await playRounds(living, async () => {
      await change();
      await behind();
    });
    const opened = talk(newOne === 'no answer' ? noAnswerMs : livesMs);
    const isOpen = await opened.next();
    const then = isOpen.startsWith('open')
      ? { at: await whoTakes(echoes) }
      : { cut: isOpen.replace(/^cut /, '') };
    return { ...played, clientPort, newOne: then, frames: await captures.end() };
  } finally {
    for (const one of started.toReversed()) await one.close();
  }
}

async function playRounds(
  living: Talker,
  change: () => Promise<void>,
): Promise<Pick<PlayedChange, 'before' | 'within' | 'rounds' | 'wanted' | 'cut'>> {
  let rounds = 0;
  let cut: string | undefined;
  const round = async () => {
    if (cut !== undefined) return;
    living.say('go');
    const answer = await living.next();
    if (answer === 'round') rounds++;
    else cut = answer.replace(/^cut /, '');
  };
  const some = async () => {
    for (let count = 0; count < roundsEachSide; count++) await round();
  };
  await some();
  const before = rounds;
  let isChanged = false;
  const changing = change().then(() => void (isChanged = true));
  const failed = new Promise<never>((_, reject) => void changing.catch(reject));
  failed.catch(() => undefined); // whoever waits for a round gets it
  while (!isChanged && cut === undefined) await Promise.race([round(), failed]);
  await changing;
  const within = rounds;
  await some();
  if (cut === undefined) {
    living.say('end');
    const answer = await living.next();
    if (answer !== 'done') cut = answer.replace(/^cut /, '');
  }
  const wanted = within + roundsEachSide;
  return { before, within, rounds, wanted, ...(cut === undefined ? {} : { cut }) };
}

function portOf(line: string): number {
  const port = /^open (\d+)$/.exec(line)?.[1];
  assert(port !== undefined, `the first connection opens: ${line}`);
  return Number(port);
}

/** The server that says `open` next. */
async function whoTakes(echoes: ReadonlyMap<string, Talker>): Promise<string> {
  const each = [...echoes].map(async ([pod, echo]) => {
    await echo.next();
    return pod;
  });
  for (const one of each) one.catch(() => undefined); // the others end silently
  return await Promise.race(each);
}
