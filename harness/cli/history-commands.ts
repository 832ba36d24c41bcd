/** Commands about many runs: nights, and what changed between them. */
import type { Command } from 'commander';
import type { Context } from './context.js';
import type { HistoryOptions } from './history.js';
import type { NightlyOptions } from './nightly.js';

const store = ['--store <folder>', 'where nights are kept', 'history'] as const;

export function defineHistory(
  program: Command,
  context: Context,
  finish: (code: number) => void,
): void {
  program
    .command('nightly')
    .description('run the matrix of a file, point by point, into a store')
    .argument('<file>', 'a matrix in YAML (docs/nightly.schema.json)')
    .option(...store)
    .option('--resume', 'continue the last night that was killed: no finished point runs again')
    .option('--night <name>', 'its name; time, host and process id by default')
    .option('--at <time>', 'when it began: 2026-11-26T02:00:00Z; now by default')
    .action(async (file: string, options: NightlyOptions) =>
      finish(await (await import('./nightly.js')).nightly(context, file, options)),
    );
  program
    .command('history')
    .description('what changed since the night before: verdicts, traces, counters')
    .argument('[vector]', 'all nights of this vector')
    .option(...store)
    .option('--since <what>', 'a night, a date, or a version: ovs-vswitchd=3.1.0')
    .option('--images <two>', 'two images of the last night: bookworm,trixie')
    .option('--sql <query>', 'a query on the view history; prints a JSON object a row')
    .option('--json', 'print JSON')
    .action(async (vector: string | undefined, options: HistoryOptions) =>
      finish(await (await import('./history.js')).history(context, vector, options)),
    );
}
