/** Workers run shards: this process, and others beside it, so that all processors have work. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../../base/errors/errors.js';
import { createPool } from '../../base/concurrency/create-pool.js';
import type { Teardown } from '../../base/concurrency/teardown.js';
import { deserialiseError } from '../../base/errors/serialised-error.js';
import { isBundle } from '../unsupervised.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { answerableOwner, answeredForBy, type Owner } from '../../ovs/process/owner.js';
import type { Shard } from '../../run/shards/shard-options.js';
import type { ShardListener } from '../../run/run-scenario.js';
import { areThreadsLimited } from '../processes/low-limits.js';
import { reportingAt, whenStarted } from '../processes/when-started.js';
import type { WorkerInit, ShardResult, WorkerResponse, WorkerRequest } from './serve-shards.js';

export interface WorkerPool {
  /** So many shards run at a time. */
  readonly concurrency: number;
  /** So many shards a point is divided into, at most, where there are so many points. */
  readonly maxShards: (points: number) => number;
  /** Runs a shard of the point at `index` of all. @param here runs it in this process. */
  readonly runShard: (
    index: number,
    shard: Shard,
    here: () => Promise<ShardResult>,
    listener: ShardListener,
  ) => Promise<ShardResult>;
}

/** One after the other, in this process. */
export const inProcessPool: WorkerPool = {
  concurrency: 1,
  maxShards: () => 1,
  runShard: (_, __, here, { onStarted: onBegun }) => {
    onBegun();
    return here();
  },
};

/** While one waits for its switches, another computes. */
const shardsPerWorker = 2;

/**
 * Other processes are started as soon as there is something to do for them, and end with this one.
 */
export async function openWorkerPool(init: WorkerInit, teardown: Teardown): Promise<WorkerPool> {
  const owner = await answerableOwner();
  const processes = availableParallelism();
  const workers = Array.from({ length: processes - 1 }, () =>
    startLazily(() => startWorker(init, owner, teardown)),
  );
  const runInSlot = createPool<'here' | (typeof workers)[number]>(
    Array.from({ length: shardsPerWorker }, () => ['here', ...workers] as const).flat(),
  );
  return {
    concurrency: shardsPerWorker * processes,
    maxShards: (points) => (points === 1 ? shardsPerWorker * processes : shardsPerWorker),
    runShard: (index, shard, here, { onStarted: onBegun, onJudged }) =>
      runInSlot((slot) => {
        onBegun();
        const worker = slot === 'here' ? undefined : slot();
        return worker === undefined || worker.ended()
          ? here()
          : worker.runShard(index, shard, onJudged);
      }),
  };
}

interface ShardWorker {
  /** It plays nothing more. */
  readonly ended: () => boolean;
  readonly runShard: (point: number, shard: Shard, onJudged: () => void) => Promise<ShardResult>;
}

function startLazily<T>(start: () => T): () => T {
  let started: { readonly value: T } | undefined;
  return () => (started ??= { value: start() }).value;
}

const program = fileURLToPath(
  new URL(isBundle ? '../../../bundle/shard-worker.js' : 'shard-worker.js', import.meta.url),
);

/**
 * @throws Unavailable from what it plays, when the process cannot be started, or ends before it has
 *   got its result.
 */
function startWorker(init: WorkerInit, owner: Owner, teardown: Teardown): ShardWorker {
  const [execPath, ...execArgv] = withParentDeathSignal(process.pid, [
    process.execPath,
    ...process.execArgv,
  ]);
  const reports = areThreadsLimited();
  // In a group of its own, so that it does not get the terminal's Ctrl-C and ends in order.
  const child = fork(program, [], {
    execPath,
    execArgv,
    detached: true,
    env: { ...process.env, ...answeredForBy(owner), ...(reports ? reportingAt(4) : {}) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...(reports ? (['pipe'] as const) : [])],
    serialization: 'advanced',
  });
  const pending = new Map<
    number,
    { done(result: ShardResult): void; failed(error: Error): void; onJudged(): void }
  >();
  let last = 0;
  let isEnded = false;
  const end = (why: string) => {
    isEnded = true;
    for (const { failed } of pending.values())
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
  const pipe = child.stdio[4];
  if (pipe instanceof Readable)
    whenStarted(pipe).catch((error: unknown) => {
      end(`could not be started: ${error instanceof Error ? error.message : String(error)}`);
      child.kill('SIGKILL');
    });
  // `ended` reports how it ends
  const sendRequest = (request: WorkerRequest) => void child.send(request, () => undefined);
  child.on('message', (response: WorkerResponse) => {
    const { done, failed, onJudged } = pending.get(response.id) ?? {
      done: () => undefined,
      failed: () => undefined,
      onJudged: () => undefined,
    };
    if (response.kind === 'judged') onJudged();
    else if (response.kind === 'played') done(response.result);
    else failed(deserialiseError(response.error));
  });
  teardown.add(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  sendRequest({ kind: 'begin', init });
  return {
    ended: () => isEnded,
    runShard: async (point, shard, onJudged) => {
      const id = ++last;
      const result = new Promise<ShardResult>((done, failed) =>
        pending.set(id, { done, failed, onJudged }),
      );
      sendRequest({ kind: 'play', id, point, shard });
      return await result.finally(() => pending.delete(id));
    },
  };
}
