/** Commands on packets: `trace` and `check` on dumps, `fuzz`, `openflow-conformance`. */
import type { Command } from 'commander';
import type { CheckOptions } from './check.js';
import type { Context } from '../context.js';
import type { FuzzOptions } from '../fuzz/fuzz.js';
import type { OpenflowConformanceOptions } from '../openflow-conformance.js';
import { collect, withPacketOptions } from './packet-options.js';
import type { TraceOptions } from './trace.js';

/** Ends a command with its exit code. */
type Finish = (code: number) => void;

/** Packets through dumps of a switch. */
export function definePackets(program: Command, context: Context, finish: Finish): void {
  withPacketOptions(program.command('trace'))
    .description('trace packets through the model, from dumps of a switch')
    .option('--why-not <flow>', 'why packets did not match this flow: table=9,priority=100,tcp')
    .option('--ovn-sb <file>', "dump of OVN's southbound database: sources of flows")
    .option('--ovn-nb <file>', 'the same of the northbound one: the rows behind them')
    .option('--as <version>', 'version of Open vSwitch to answer as; 4.0 by default')
    .option(
      '--ct-next <flags>',
      'what the connection tracker says next: trk,est; repeatable, as of ofproto/trace',
      collect,
      [],
    )
    .option('--json', 'print JSON (docs/trace.schema.json)')
    .action(async (words: string[], options: TraceOptions) =>
      finish(await (await import('./trace.js')).trace(context, words, options)),
    );
  withPacketOptions(program.command('check'))
    .description('send the same packets through real switches, and compare with the model')
    .option('--image <names>', 'OVS to run, separated by commas', 'trixie')
    .option('--backend <name>', 'what brings up the switch; as of run')
    .option('--json', 'print JSON (docs/check.schema.json)')
    .action(async (words: string[], options: CheckOptions) =>
      finish(await (await import('./check.js')).check(context, words, options)),
    );
}

/** Random cases, and a corpus. */
export function defineGenerated(program: Command, context: Context, finish: Finish): void {
  program
    .command('fuzz')
    .description(
      'run random flows, groups and frames on the model and on real switches, and shrink what ' +
        'differs',
    )
    .argument(
      '<language>',
      'openflow: packets through random flows; sequences: packets, time and changes through ' +
        'flows with state; events: clusters that change; dumps: bridges as dumps show them; ' +
        'forms: bridges in every form that ovs-ofctl prints; ovn: northbound content that OVN ' +
        'compiles',
    )
    .option('--seed <number>', 'seed of all random choices', '1')
    .option(
      '--count <number>',
      'number of packets (2000), of clusters that change (20), of dumps or contents of ' +
        'northbound databases (100)',
    )
    .option('--image <names>', 'OVS to run, separated by commas', 'trixie')
    .option('--backend <name>', 'openflow and sequences: what brings up the switches')
    .option('--world <name>', 'openflow and sequences: host, or uml, a guest with its own clock')
    .option('--case <number>', 'events, dumps, forms and ovn: run this one alone')
    .option('--frozen <path>', 'openflow and sequences: cases of this file or folder instead')
    .option('--no-shrink', 'openflow and sequences: leave cases that differ as they were drawn')
    .option('--freeze <dir>', 'write the minimal case of each difference there')
    .option('--json', 'print JSON')
    .action(async (language: string, options: Omit<FuzzOptions, 'count'> & Partial<FuzzOptions>) =>
      finish(await fuzzLanguage(context, language, options)),
    );
  program
    .command('openflow-conformance')
    .description('run the 991 cases of an OpenFlow 1.3 corpus on real switches and on the model')
    .argument('[patterns...]', 'only cases whose name contains one of these')
    .option('--image <names>', 'OVS to run, separated by commas', 'trixie')
    .option('--json', 'print JSON')
    .action(async (patterns: string[], options: OpenflowConformanceOptions) =>
      finish(
        await (await import('../openflow-conformance.js')).openflowConformance(
          context,
          patterns,
          options,
        ),
      ),
    );
}

/** How much is played where nobody says it depends on what is drawn. */
async function fuzzLanguage(
  context: Context,
  language: string,
  options: Omit<FuzzOptions, 'count'> & Partial<FuzzOptions>,
): Promise<number> {
  switch (language) {
    case 'events': {
      const { fuzzEvents } = await import('../fuzz/fuzz-events.js');
      return await fuzzEvents(context, { count: '20', ...options });
    }
    case 'ovn': {
      const { fuzzOvn } = await import('../fuzz/fuzz-ovn.js');
      return await fuzzOvn(context, { count: '100', ...options });
    }
    case 'dumps': {
      const { fuzzDumps } = await import('../fuzz/fuzz-dumps.js');
      return await fuzzDumps(context, { count: '100', ...options });
    }
    case 'forms': {
      const { fuzzForms } = await import('../fuzz/fuzz-forms.js');
      return await fuzzForms(context, { count: '100', ...options });
    }
    default: {
      const { fuzz } = await import('../fuzz/fuzz.js');
      return await fuzz(context, language, { count: '2000', ...options });
    }
  }
}
