/**
 * The command line: `flowbed COMMAND`. Each command is a file beside this one, loaded when it is
 * called.
 */
import { Command } from 'commander';
import type { CleanOptions } from './clean.js';
import { exitCodes, type Context } from './context.js';
import type { DoctorOptions } from './doctor.js';
import type { IntentOptions } from './intent.js';
import type { RunOptions } from './run-spec.js';
import type { FuzzOptions } from './fuzz.js';
import type { CheckOptions } from './check.js';
import type { OpenflowConformanceOptions } from './openflow-conformance.js';
import type { TraceOptions } from './trace.js';
import { reportError } from './print-error.js';

/**
 * Carries out one command line, without the program's name. What is wrong is told by
 * `context.complain`. @returns the exit code.
 */
export async function runCommandLine(context: Context, args: readonly string[]): Promise<number> {
  let code: number = exitCodes.conforms;
  try {
    await defineCommands(context, (result) => (code = result)).parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error, context);
  }
}

function defineCommands(context: Context, finish: (code: number) => void): Command {
  const program = new Command('flowbed')
    .description(
      'A deterministic, cluster-scale emulation testbed for networks built on Open vSwitch and OVN',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.complain(text.trimEnd()),
    })
    .showHelpAfterError('(see flowbed COMMAND --help)');
  program
    .command('run')
    .description(
      'run scenarios on real switches, each packet compared with the reference model and with ' +
        'intent',
    )
    .argument('[names...]', 'scenarios by name, or files of your own; all when none is named')
    .option(
      '--image <name>',
      'which OVS to run: trixie, bookworm, sid, or system for what is on PATH',
      'trixie',
    )
    .option('--backend <name>', 'what brings up the switches: one that ./flowbed doctor names')
    .option(
      '--compare <backend:image>',
      'compare with these switches in place of the model, such as sim:bookworm',
    )
    .option('--known <file>', 'known divergences in YAML: vector, cause, and when it expires')
    .option('--today <date>', 'known divergences that have expired by this date count no more')
    .option(
      '--set <axes>',
      'narrow the matrix: axis=value[,axis=value…], an axis as often as values of it are ' +
        'wanted; may be given again',
      joinRepeatedOption,
    )
    .option('--seed <number>', 'everything that is random comes from it', '1')
    .option('--topology <file>', "a topology in YAML instead of the scenario's own")
    .option(
      '--manifests <folder>',
      'the network and its policies from Kubernetes manifests instead',
    )
    .option(
      '--passes <which>',
      'all: cold, again, from the cache alone, and with one field changed; cold: the first ' +
        'alone, which takes a third of the time',
      'all',
    )
    .option(
      '--report <dir>',
      'write report.html, junit.xml, report.tap, report.md, report.json and frames.pcapng there',
    )
    .option(
      '--keep',
      'leave the switches up until Ctrl-C, the last ones where there are several, and print ' +
        'commands that look at each',
    )
    .option('--json', 'one JSON document on stdout, as docs/run.schema.json describes it')
    .action(async (names: string[], options: RunOptions) =>
      finish(await (await import('./run.js')).run(context, names, options)),
    );
  program
    .command('intent')
    .description(
      'what Kubernetes and Antrea promise in a network: who reaches whom on what, without a switch',
    )
    .option('--manifests <folder>', 'the network and its policies from Kubernetes manifests')
    .option('--topology <file>', 'a topology in YAML')
    .option('--json', 'one JSON document on stdout: matrices, and every cell with its promise')
    .action(async (options: IntentOptions) =>
      finish(await (await import('./intent.js')).intent(context, options)),
    );
  program
    .command('list')
    .description('list scenarios with their axes, and images')
    .action(async () => finish(await (await import('./list.js')).list(context)));
  program
    .command('explain')
    .description(
      'one vector of a recorded run: model beside switch, table by table, to the first difference',
    )
    .argument('<run>', 'its number in runs/, or the path of its folder')
    .argument('<vector>', "the vector's id")
    .action(async (run: string, vector: string) =>
      finish(await (await import('./explain.js')).explain(context, run, vector)),
    );
  program
    .command('replay')
    .description(
      'run a recorded run again from its folder alone, and say whether it is the same, event ' +
        'by event',
    )
    .argument('<run>', 'its number in runs/, or the path of its folder')
    .argument('[vector]', 'one vector only')
    .action(async (run: string, vector: string | undefined) =>
      finish(await (await import('./replay.js')).replayRun(context, run, vector)),
    );
  const collect = (value: string, before: readonly string[]): readonly string[] => [
    ...before,
    value,
  ];
  const withPacketOptions = (command: Command): Command =>
    command
      .argument(
        '[words...]',
        '[BRIDGE] FLOW: the packet, as ovs-appctl ofproto/trace takes it: ' +
          'in_port=p1,tcp,nw_src=10.0.0.1,tp_dst=80,nw_ttl=64; what is not named is zero',
      )
      .option(
        '--flows <file>',
        'what "ovs-ofctl dump-flows BRIDGE" printed, of any version of OpenFlow',
      )
      .option('--groups <file>', 'what "ovs-ofctl dump-groups BRIDGE" printed')
      .option('--meters <file>', 'what "ovs-ofctl dump-meters BRIDGE" printed')
      .option(
        '--ports <file>',
        'what "ovs-ofctl show BRIDGE" printed; without it, and without --ovsdb, ports are numbers',
      )
      .option('--tlv-map <file>', 'what "ovs-ofctl dump-tlv-map BRIDGE" printed')
      .option(
        '--bridge <name>',
        'what the bridge of --flows is called; or NAME=DIR, as often as there are bridges: a ' +
          'folder with flows, ports, groups, meters, tlv-map',
        collect,
        [],
      )
      .option(
        '--ovsdb <file>',
        'what "ovsdb-client dump", with -f json or without, or "ovsdb-client backup" printed: ' +
          'ports, patch ports, VLANs, mirrors',
      )
      .option(
        '--in-port <port>',
        'where packets of --packet and --pcap come in: a name or a number',
      )
      .option(
        '--packet <hex>',
        'its bytes, from the Ethernet header on; FLOW then says no more than in_port and metadata',
      )
      .option(
        '--pcap <file>',
        'every packet of a pcap or pcapng file, in order; without --in-port interfaces are ' +
          'called as ports are',
      )
      .option('--l7 <hex>', 'what a packet made of FLOW carries behind its headers')
      .option('--l7-len <bytes>', 'how much it carries: 64 bytes where nothing is said')
      .option(
        '--script <file>',
        'packets, time and changes, one a line: inject p1 FLOW, advance 30s, add-flow …, ' +
          'port-down p1, dump-flows, dump-conntrack, …',
      )
      .option(
        '--conntrack <file>',
        'connections that are there when the script begins, as "ovs-appctl ' +
          'dpctl/dump-conntrack -m -s" printed them',
      )
      .option(
        '--fdb <file>',
        'addresses that were learned before, as "ovs-appctl fdb/show BRIDGE" printed them; ' +
          'BRIDGE=FILE, as often as there are bridges',
        collect,
        [],
      );
  withPacketOptions(program.command('trace'))
    .description('what the model alone makes of packets, out of what ovs-ofctl prints of a switch')
    .option(
      '--why-not <flow>',
      'why packets did not take this flow of the tables: table=9,priority=100,tcp,tp_dst=80',
    )
    .option('--json', 'one JSON document on stdout, as docs/trace.schema.json describes it')
    .action(async (words: string[], options: TraceOptions) =>
      finish(await (await import('./trace.js')).trace(context, words, options)),
    );
  withPacketOptions(program.command('check'))
    .description(
      'the same on real switches, compared with the model: frames, packet-ins, counters, ' +
        'connections and learned MACs',
    )
    .option('--image <names>', 'which OVS to run, several with commas between', 'trixie')
    .option('--json', 'one JSON document on stdout, as docs/check.schema.json describes it')
    .action(async (words: string[], options: CheckOptions) =>
      finish(await (await import('./check.js')).check(context, words, options)),
    );
  program
    .command('fuzz')
    .description(
      'random flows, groups and frames through the model and through real switches; a ' +
        'difference is made as small as it gets',
    )
    .argument(
      '<language>',
      'openflow: packets through flows of all kinds; sequences: packets, time, changes and ' +
        'flushes through flows with state; events: a cluster that changes while packets pass',
    )
    .option('--seed <number>', 'everything that is random comes from it', '1')
    .option(
      '--count <number>',
      'how many packets go through both (2000), or timelines of events (20)',
    )
    .option('--image <names>', 'which OVS to run, several with commas between', 'trixie')
    .option(
      '--case <number>',
      'of events: play this timeline of the seed alone, and print it step by step',
    )
    .option('--freeze <dir>', 'write the smallest case of each difference there, a file each')
    .option('--json', 'one JSON document on stdout')
    .action(
      async (language: string, options: Omit<FuzzOptions, 'count'> & Partial<FuzzOptions>) => {
        if (language === 'events')
          finish(
            await (await import('./fuzz-events.js')).fuzzEvents(context, {
              count: '20',
              ...options,
            }),
          );
        else
          finish(
            await (await import('./fuzz.js')).fuzz(context, language, {
              count: '2000',
              ...options,
            }),
          );
      },
    );
  program
    .command('openflow-conformance')
    .description(
      'the 991 cases of the OpenFlow 1.3 conformance corpus on real switches and on the model',
    )
    .argument('[patterns...]', 'only cases whose name holds one of these')
    .option('--image <names>', 'which OVS to run, several with commas between', 'trixie')
    .option('--json', 'one JSON document on stdout')
    .action(async (patterns: string[], options: OpenflowConformanceOptions) =>
      finish(
        await (await import('./openflow-conformance.js')).openflowConformance(
          context,
          patterns,
          options,
        ),
      ),
    );
  program
    .command('doctor')
    .description('check what this machine offers, and say what to do about what is missing')
    .option(
      '--verify',
      'read every file of the images that runs, and compare it with what was made',
    )
    .action(async (options: DoctorOptions) =>
      finish(await (await import('./doctor.js')).doctor(context.print, options)),
    );
  program
    .command('clean')
    .description('remove what killed runs left')
    .option('--older-than <days>', 'remove run folders older than that, too')
    .option('--elsewhere', 'remove what runs left on other machines or in containers, too')
    .action(async (options: CleanOptions) =>
      finish(await (await import('./clean.js')).clean(context, options)),
    );
  program
    .command('selftest')
    .description(
      'plant faults in real switches and in the compiler, and see whether each is caught',
    )
    .option('--image <name>', 'which OVS to run', 'trixie')
    .action(async ({ image }: { image: string }) =>
      finish(await (await import('./selftest.js')).selftest(context, { image })),
    );
  program
    .command('test')
    .description("the project's own tests; --fast leaves out what needs daemons")
    .option('--fast', 'in under a minute, without daemons')
    .argument('[patterns...]', 'only checks whose name holds one of these')
    .action(async (patterns: string[], options: { fast?: boolean }) =>
      finish(await (await import('./test.js')).runTests({ fast: options.fast === true, patterns })),
    );
  return program;
}

/** What an option says when it is given several times: all of it, with commas between. */
function joinRepeatedOption(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}
