/** A process that runs shards for another, which started it (worker-pool.ts), and ends with it. */
import { createTeardown } from '../../base/concurrency/teardown.js';
import { serialiseError, type SerialisedError } from '../../base/errors/serialised-error.js';
import { visible } from '../../base/text/visible.js';
import { runShard, type ShardOutcome } from '../../run/shards/shards.js';
import { type Shard } from '../../run/shards/shard-options.js';
import { workloadOf } from '../../run/judging/workload.js';
import type { LogFile } from '../../run/records/run-folder.js';
import { reportError } from '../print-error.js';
import { exitNow, reportUncaught } from '../processes/guard-exit.js';
import { switchOpenersFor } from '../runs/switch-opener.js';
import { endedScenarioProcess } from '../scenario-process/started.js';
import { runSpecOf, type RunRequest } from '../runs/run-spec.js';
import { runSwitchesOf } from '../runs/run-switches.js';

export interface WorkerInit extends RunRequest {
  /** Where the project lies. */
  readonly root: string;
  /** Of Open vSwitch in the image. */
  readonly version: string;
}

export interface ShardResult {
  readonly outcome: ShardOutcome;
  readonly logs: readonly LogFile[];
}

/** What it receives. */
export type WorkerRequest =
  | { readonly kind: 'begin'; readonly init: WorkerInit }
  | { readonly kind: 'play'; readonly id: number; readonly point: number; readonly shard: Shard };

/** What it reports of the shard that it runs as `id`. */
export type WorkerResponse =
  | { readonly kind: 'judged'; readonly id: number }
  | { readonly kind: 'played'; readonly id: number; readonly result: ShardResult }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SerialisedError };

const teardown = createTeardown();
process.stderr.on('error', () => undefined); // nobody reads it any more
reportUncaught((error) => {
  const code = reportError(error, {
    complain: (line) => void process.stderr.write(`${visible(line)}\n`),
  });
  void teardown.run().finally(() => exitNow(code));
});

type RunShard = (point: number, shard: Shard, onJudged: () => void) => Promise<ShardResult>;

async function initialise({ root, version, ...request }: WorkerInit): Promise<RunShard> {
  const [{ seed, depth, work, points }, switches] = await Promise.all([
    runSpecOf(root, request),
    runSwitchesOf(request.options, () => undefined, 'quickly'),
  ]);
  return async (index, shard, onJudged) => {
    const point = points[index];
    if (point === undefined) throw new Error(`there is no point ${index}`);
    const logs: LogFile[] = [];
    const options = {
      seed,
      depth,
      work,
      version,
      ...switchOpenersFor(index, switches, teardown, logs),
    };
    const outcome = await runShard(
      workloadOf(point.scenario, point.axes, options),
      shard,
      options,
      onJudged,
    );
    endedScenarioProcess(); // the process that concludes has one of its own, and says how it ended
    return { outcome, logs };
  };
}

function respond(response: WorkerResponse): void {
  // who does not listen any more has ended
  process.send?.(response, undefined, undefined, () => undefined);
}

let shardRunner: Promise<RunShard> | undefined;
process.on('message', (request: WorkerRequest) => {
  if (request.kind === 'begin') {
    shardRunner = initialise(request.init);
    return;
  }
  const { id, point, shard } = request;
  const result = shardRunner?.then((run) =>
    run(point, shard, () => {
      respond({ kind: 'judged', id });
    }),
  );
  result?.then(
    (result) => {
      respond({ kind: 'played', id, result });
    },
    (error: unknown) => {
      respond({ kind: 'failed', id, error: serialiseError(error) });
    },
  );
});
const end = () => void teardown.run().finally(() => process.exit());
process.on('disconnect', end);
if (!process.connected) end();
