/** Those who play lanes: this process, and others beside it, so that all processors have work. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../base/errors.js';
import { handOut } from '../base/hand-out.js';
import type { Teardown } from '../base/teardown.js';
import { errorTold } from '../base/told-error.js';
import { dyingWith } from '../ovs/dying-with.js';
import { answerableOwner, answeredForBy, type Owner } from '../ovs/owner.js';
import type { Lane } from '../run/lanes.js';
import type { LaneListener } from '../run/scenario-run.js';
import type { Beginning, PlayedLane, Said, Telling } from './lane-player.js';

export interface Hands {
  /** So many lanes are played at a time. */
  readonly count: number;
  /** So many lanes a point is dealt out to, at most, where there are so many points. */
  readonly lanesMax: (points: number) => number;
  /** Plays a lane of the point at `index` of all. @param here plays it in this process. */
  readonly play: (
    index: number,
    lane: Lane,
    here: () => Promise<PlayedLane>,
    listener: LaneListener,
  ) => Promise<PlayedLane>;
}

/** One after the other, in this process. */
export const onlyHere: Hands = {
  count: 1,
  lanesMax: () => 1,
  play: (_, __, here, { onBegun }) => {
    onBegun();
    return here();
  },
};

/** While one waits for its switches, another computes. */
const lanesAProcess = 2;

/**
 * Other processes are started as soon as there is something to do for them, and end with this one.
 */
export async function openHands(beginning: Beginning, teardown: Teardown): Promise<Hands> {
  const owner = await answerableOwner();
  const processes = availableParallelism();
  const others = Array.from({ length: processes - 1 }, () =>
    startedOnce(() => startPlayer(beginning, owner, teardown)),
  );
  const play = handOut<'here' | (typeof others)[number]>(
    Array.from({ length: lanesAProcess }, () => ['here', ...others] as const).flat(),
  );
  return {
    count: lanesAProcess * processes,
    lanesMax: (points) => (points === 1 ? lanesAProcess * processes : lanesAProcess),
    play: (index, lane, here, { onBegun, onJudged }) =>
      play((hand) => {
        onBegun();
        const player = hand === 'here' ? undefined : hand();
        return player === undefined || player.ended() ? here() : player.play(index, lane, onJudged);
      }),
  };
}

interface Player {
  /** It plays nothing more. */
  readonly ended: () => boolean;
  readonly play: (point: number, lane: Lane, onJudged: () => void) => Promise<PlayedLane>;
}

function startedOnce<T>(start: () => T): () => T {
  let started: { readonly value: T } | undefined;
  return () => (started ??= { value: start() }).value;
}

const program = fileURLToPath(new URL('lane-player.js', import.meta.url));

/**
 * @throws Unavailable from what it plays, when the process cannot be started, or ends before it has
 *   told what came of it.
 */
function startPlayer(beginning: Beginning, owner: Owner, teardown: Teardown): Player {
  const [execPath, ...execArgv] = dyingWith(process.pid, [process.execPath, ...process.execArgv]);
  // In a group of its own, so that it does not get the terminal's Ctrl-C and ends in order.
  const child = fork(program, [], {
    execPath,
    execArgv,
    detached: true,
    env: { ...process.env, ...answeredForBy(owner) },
    serialization: 'advanced',
  });
  const playing = new Map<
    number,
    { done(played: PlayedLane): void; failed(error: Error): void; onJudged(): void }
  >();
  let last = 0;
  let isEnded = false;
  const end = (why: string) => {
    isEnded = true;
    for (const { failed } of playing.values())
      failed(new Unavailable(`the process that played it ${why}`));
  };
  const ended = once(child, 'exit').then(
    ([code, signal]: (number | string | null)[]) => {
      end(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
    },
    (error: unknown) => {
      end(`could not be started: ${error instanceof Error ? error.message : String(error)}`);
    },
  );
  // what becomes of it is told by `ended`
  const tell = (telling: Telling) => void child.send(telling, () => undefined);
  child.on('message', (said: Said) => {
    const { done, failed, onJudged } = playing.get(said.id) ?? {
      done: () => undefined,
      failed: () => undefined,
      onJudged: () => undefined,
    };
    if (said.kind === 'judged') onJudged();
    else if (said.kind === 'played') done(said.played);
    else failed(errorTold(said.error));
  });
  teardown.add(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  tell({ kind: 'begin', beginning });
  return {
    ended: () => isEnded,
    play: async (point, lane, onJudged) => {
      const id = ++last;
      const played = new Promise<PlayedLane>((done, failed) =>
        playing.set(id, { done, failed, onJudged }),
      );
      tell({ kind: 'play', id, point, lane });
      return await played.finally(() => playing.delete(id));
    },
  };
}
