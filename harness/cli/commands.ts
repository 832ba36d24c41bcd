/**
 * The command line: `flowbed COMMAND`. Each command is a file beside this one, loaded when it is
 * called.
 */
import { Command } from 'commander';
import type { CleanOptions } from './clean.js';
import { exitCodes, type Context } from './context.js';
import type { DoctorOptions } from './doctor.js';
import type { ListOptions } from './list.js';
import type { IntentOptions } from './intent.js';
import type { RunOptions } from './runs/run-spec.js';
import { defineGenerated, definePackets } from './packets/packet-commands.js';
import { joinRepeatedOption } from './packets/packet-options.js';
import { reportError } from './print-error.js';
import type { ReplayOptions } from './runs/replay.js';
import { defineHistory } from './nights/history-commands.js';
import { defineConnections, defineTraffic } from './traffic/traffic-commands.js';
import { defineReports } from './reports/report-commands.js';

/** ofproto/trace takes these with one dash as well. */
function asLongOption(arg: string): string {
  return /^-(generate|consistent|names)$/.test(arg) ? `-${arg}` : arg;
}

/**
 * Runs one command line, without the program's name. Errors go to `context.complain`. @returns the
 * exit code.
 */
export async function runCommandLine(context: Context, args: readonly string[]): Promise<number> {
  let code: number = exitCodes.conforms;
  try {
    await defineCommands(context, (result) => (code = result)).parseAsync(
      args[0] === 'trace' || args[0] === 'check' ? args.map(asLongOption) : args,
      { from: 'user' },
    );
    return code;
  } catch (error) {
    return reportError(error, context);
  }
}

/** Ends a command with its exit code. */
type Finish = (code: number) => void;

function defineCommands(context: Context, finish: Finish): Command {
  const program = new Command('flowbed')
    .description(
      'A deterministic, cluster-scale emulation testbed for networks built on Open vSwitch and OVN',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.complain(text.trimEnd()),
    })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(see flowbed COMMAND --help)');
  defineRuns(program, context, finish);
  defineTraffic(program, context, finish);
  defineConnections(program, context, finish);
  defineRunViews(program, context, finish);
  definePackets(program, context, finish);
  defineGenerated(program, context, finish);
  defineHistory(program, context, finish);
  defineReports(program, context, finish);
  defineUpkeep(program, context, finish);
  return program;
}

/** Scenarios, and what is promised in a network. */
function defineRuns(program: Command, context: Context, finish: Finish): void {
  program
    .command('run')
    .description('run scenarios, and compare with the model and intent')
    .argument('[names...]', 'scenarios, families or your files; all by default')
    .option('--image <name>', 'OVS to run: trixie, bookworm, sid, or system (on PATH)', 'trixie')
    .option('--backend <name>', 'what brings up the switches: one that ./flowbed doctor names')
    .option('--world <name>', 'where it takes place: host, or uml, a guest with its own clock')
    .option(
      '--compare <backend:image>',
      'compare with these switches in place of the model, such as sim:bookworm',
    )
    .option('--known <file>', 'known divergences in YAML: vector, cause, and when it expires')
    .option('--today <date>', 'known divergences that have expired by this date count no more')
    .option(
      '--set <axes>',
      'points of the matrix: axis=value[,axis=value…]; repeatable',
      joinRepeatedOption,
    )
    .option('--seed <number>', 'seed of all random choices', '1')
    .option('--topology <file>', 'a topology in YAML, for the scenarios')
    .option('--manifests <path>', 'a network as Kubernetes manifests: a file or folder')
    .option('--passes <which>', 'all: cold, again, cached, sibling; cold: the first alone', 'all')
    .option('--throughput', 'what each vector needs: lookups, recirculations, …; exact')
    .option('--report <dir>', 'write reports there: HTML, JUnit, TAP, Markdown, JSON, CSV, pcapng')
    .option('--shard <which>', 'one part of the points: 3/10; flowbed merge joins them')
    .option('--durations <file>', 'report.json whose durations deal points to shards')
    .option('--keep', 'keep the switches up until Ctrl-C, and print commands for them')
    .option('--no-confirm', 'do not ask a kernel about what diverged on the sim')
    .option('--watch', 'run again what a changed file touches, until Ctrl-C')
    .option('--json', 'print JSON (docs/run.schema.json)')
    .action(async (names: string[], options: RunOptions) =>
      finish(await (await import('./runs/run.js')).run(context, names, options)),
    );
  program
    .command('intent')
    .description('print what is promised in a network: who reaches whom')
    .option('--manifests <path>', 'a network as Kubernetes manifests: a file or folder')
    .option('--topology <file>', 'a topology in YAML')
    .option('--json', 'print JSON: matrices, and each cell with its promise')
    .action(async (options: IntentOptions) =>
      finish(await (await import('./intent.js')).intent(context, options)),
    );
  program
    .command('list')
    .description('list families of scenarios and images; or one family')
    .argument('[name]', 'a family, a scenario, or a file of your own: axes and titles')
    .option('--lab <form>', 'print its network for containerlab or clabernetes')
    .action(async (name: string | undefined, options: ListOptions) =>
      finish(await (await import('./list.js')).list(context, name, options)),
    );
}

/** Recorded runs. */
function defineRunViews(program: Command, context: Context, finish: Finish): void {
  program
    .command('explain')
    .description('show one vector of a run, up to the first difference')
    .argument('<run>', 'its number in runs/, or the path of its folder')
    .argument('<vector>', "the vector's id")
    .action(async (run: string, vector: string) =>
      finish(await (await import('./runs/explain.js')).explain(context, run, vector)),
    );
  program
    .command('replay')
    .description('run a recorded run again, and compare event by event')
    .argument('<run>', 'its number in runs/, or the path of its folder')
    .argument('[vector]', 'one vector only')
    .option('--backend <name>', 'on other switches: what diverged then, by frames and notes')
    .option('--world <name>', 'where: host, or uml, a guest with its own clock')
    .option('--json', 'of other switches: print JSON')
    .action(async (run: string, vector: string | undefined, options: ReplayOptions) =>
      finish(await (await import('./runs/replay.js')).replayRun(context, run, vector, options)),
    );
}

/** The machine, and the project's own tests. */
function defineUpkeep(program: Command, context: Context, finish: Finish): void {
  program
    .command('doctor')
    .description('check this machine, and name what is missing')
    .option('--verify', 'read all files of images, and compare them with their digests')
    .action(async (options: DoctorOptions) =>
      finish(await (await import('./doctor.js')).doctor(context, options)),
    );
  program
    .command('clean')
    .description('remove what killed runs left')
    .option('--older-than <days>', 'remove older run folders as well')
    .option('--elsewhere', 'remove what runs left on other machines or in containers')
    .action(async (options: CleanOptions) =>
      finish(await (await import('./clean.js')).clean(context, options)),
    );
  program
    .command('image')
    .description('make an image that nodes run from')
    .argument('<what>', 'build')
    .argument(
      '<name>',
      'trixie, bookworm, sid; docker:trixie for the Docker engine; uml, a kernel; ' +
        'kube-apiserver; k6; guest, for ./flowbed guests',
    )
    .action(async (what: string, name: string) =>
      finish(await (await import('./image.js')).image(context, what, name)),
    );
  program
    .command('selftest')
    .description('plant faults in real switches and in the compiler, and check that each is caught')
    .option('--image <name>', 'OVS to run', 'trixie')
    .action(async ({ image }: { image: string }) =>
      finish(await (await import('./selftest.js')).selftest(context, { image })),
    );
  program
    .command('test')
    .description("run the project's own tests")
    .option('--fast', 'only tests without daemons, in under a minute')
    .argument('[patterns...]', 'only checks whose name contains one of these')
    .action(async (patterns: string[], options: { fast?: boolean }) =>
      finish(await (await import('./test.js')).runTests({ fast: options.fast === true, patterns })),
    );
}
