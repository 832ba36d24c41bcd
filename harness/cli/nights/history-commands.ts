/** Commands about many runs: nights, and what changed between them. */
import type { Command } from 'commander';
import type { BisectOptions } from '../bisect/bisect.js';
import type { Context } from '../context.js';
import type { HistoryOptions } from './history.js';
import type { MergeOptions } from '../runs/merge.js';
import type { NightlyOptions } from './nightly.js';
import type { ShrinkOptions } from '../shrink/shrink.js';

const store = ['--store <folder>', 'where nights are kept', 'history'] as const;

export function defineHistory(
  program: Command,
  context: Context,
  finish: (code: number) => void,
): void {
  program
    .command('nightly')
    .description('run a matrix into a store')
    .argument('[file]', 'a matrix in YAML (docs/nightly.schema.json); else the usual one')
    .option(...store)
    .option('--resume', 'continue the last night that was killed: no finished point runs again')
    .option('--night <name>', 'its name; time, host and process id by default')
    .option('--at <time>', 'when it began: 2026-11-26T02:00:00Z; now by default')
    .action(async (file: string | undefined, options: NightlyOptions) =>
      finish(await (await import('./nightly.js')).nightly(context, file, options)),
    );
  program
    .command('history')
    .description('what changed since the night before')
    .argument('[vector]', 'all nights of this vector')
    .option(...store)
    .option('--since <what>', 'a night, a date, or a version: ovs-vswitchd=3.1.0')
    .option('--images <two>', 'two images of the last night: bookworm,trixie')
    .option('--acknowledged <file>', 'changes that are known, in YAML: scenario, reason, expires')
    .option('--today <date>', 'the day on which those are judged: 2026-11-25')
    .option('--html <file>', 'write a page of all nights: heat map, trends, run folders')
    .option('--sql <query>', 'a query on the view history; prints a JSON object a row')
    .option('--json', 'print JSON')
    .action(async (vector: string | undefined, options: HistoryOptions) =>
      finish(await (await import('./history.js')).history(context, vector, options)),
    );
  defineSearches(program, context, finish);
}

const repository = [
  '--repo <folder>',
  'a git repository with flows, manifests or the scenario',
] as const;
const prepare = [
  '--prepare <command>',
  'what is run in each of its commits before it is used',
] as const;
const ovsTree = ['--ovs-tree <folder>', "a git repository of Open vSwitch's sources"] as const;
const build = [
  '--build <command>',
  'what builds a commit of it into $OUT/sbin and $OUT/bin',
  '{ [ -e Makefile ] || { ./boot.sh && ./configure --prefix=/ --disable-ssl; }; } && ' +
    'make -j"$(nproc)" && make install DESTDIR="$OUT"',
] as const;
const ovnTree = ['--ovn-tree <folder>', "a git repository of OVN's sources"] as const;
const ovnBuild = [
  '--ovn-build <command>',
  'the same of it',
  '{ [ -e Makefile ] || ' +
    '{ ./boot.sh && ./configure --prefix=/ --with-ovs-source="$OVS_SOURCE"; }; } && ' +
    'make -j"$(nproc)" && make install DESTDIR="$OUT"',
] as const;
const confidence = [
  '--confidence <number>',
  'throughput: of the Mann-Whitney test',
  '0.999',
] as const;
const set = ['--set <axes>', 'the point of the matrix: axis=value[,axis=value…]'] as const;
const seed = ['--seed <number>', 'seed of all random choices', '1'] as const;
const backend = ['--backend <name>', 'what brings up the switches'] as const;

/** Which version changed something, and the smallest case of it. */
function defineSearches(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('bisect')
    .description('find the version that changed a vector')
    .argument('<vector>', "the vector's id")
    .requiredOption('--scenario <name>', 'its scenario, or a file; within --repo if it is there')
    .requiredOption(
      '--good <version>',
      'image=bookworm,repo=COMMIT,ovs=COMMIT,ovn=COMMIT; one may stand alone',
    )
    .requiredOption('--bad <version>', 'the same, of the other end')
    .option(
      '--first-change <what>',
      'verdict, counters, trace, convergence, lookups, recirculations, upcalls or throughput',
      'verdict',
    )
    .option(...repository)
    .option(...prepare)
    .option(...ovsTree)
    .option(...build)
    .option(...ovnTree)
    .option(...ovnBuild)
    .option('--measure <command>', 'throughput: what prints samples, in a commit of the repository')
    .option(...confidence)
    .option(...set)
    .option(...seed)
    .option(...backend)
    .option('--json', 'print JSON: the versions found, whether confirmed, and the log')
    .action(async (vector: string, options: BisectOptions) =>
      finish(await (await import('../bisect/bisect.js')).bisect(context, vector, options)),
    );
  program
    .command('shrink')
    .description('find the smallest case with the same failure')
    .argument('<vector>', 'the id of a vector that diverges')
    .requiredOption('--scenario <name>', 'its scenario, or a file')
    .requiredOption('--out <folder>', 'where the scenario and its network are written')
    .option('--image <name>', 'OVS to run', 'trixie')
    .option('--good <version>', 'with --bad: what differs between the two is kept, as in bisect')
    .option('--bad <version>', 'the version that it is shrunk for')
    .option('--first-change <what>', 'of these two, as in bisect', 'verdict')
    .option(...repository)
    .option(...prepare)
    .option(...ovsTree)
    .option(...build)
    .option(...ovnTree)
    .option(...ovnBuild)
    .option('--measure <command>', 'throughput: what prints samples of the case in $FLOWBED_CASE')
    .option(...confidence)
    .option(...set)
    .option(...seed)
    .option(...backend)
    .action(async (vector: string, options: ShrinkOptions) =>
      finish(await (await import('../shrink/shrink.js')).shrink(context, vector, options)),
    );
  program
    .command('merge')
    .description('join the runs of all shards')
    .argument('<runs...>', 'numbers in runs/, or paths of folders')
    .option('--report <dir>', 'write reports there, as run does')
    .option('--json', 'print JSON (docs/run.schema.json)')
    .action(async (runs: string[], options: MergeOptions) =>
      finish(await (await import('../runs/merge.js')).merge(context, runs, options)),
    );
}
