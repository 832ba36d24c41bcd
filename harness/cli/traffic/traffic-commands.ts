/** Commands whose hosts are network stacks of a kernel. */
import type { Command } from 'commander';
import type { ConnectionsOptions } from './connections.js';
import type { Context } from '../context.js';
import type { GuestsOptions } from './guests.js';
import type { HttpCommand } from './http.js';
import { joinRepeatedOption } from '../packets/packet-options.js';
import type { StreamsOptions } from './streams.js';
import type { ThroughputCommand } from './throughput.js';

/** Ends a command with its exit code. */
type Finish = (code: number) => void;

/** Traffic of real network stacks. */
export function defineTraffic(program: Command, context: Context, finish: Finish): void {
  program
    .command('streams')
    .description('TCP and UDP of real stacks, held to what is predicted')
    .argument('[names...]', 'antrea/throughput, antrea/lossy, antrea/services; all by default')
    .option('--image <name>', 'OVS to run', 'trixie')
    .option('--world <name>', 'where it takes place: host, or uml, where it is exact', 'uml')
    .option('--set <axes>', 'points of the matrix: axis=value[,axis=value…]', joinRepeatedOption)
    .option('--seed <number>', 'seed of what links lose', '1')
    .option(
      '--fault <name>',
      'planted, to be found: wrong-mtu, header-more, super-packets, policer; of services ' +
        'wrong-endpoint, no-masquerade',
    )
    .option('--json', 'print JSON')
    .action(async (names: string[], options: StreamsOptions) =>
      finish(await (await import('./streams.js')).streams(context, names, options)),
    );
  program
    .command('throughput')
    .description('measure real traffic, and compare with the model')
    .argument('[paths...]', 'such as same-node, encap, no-encap, snat, node-port; all by default')
    .option('--backend <name>', 'netns, netns-userspace or docker', 'netns')
    .option('--image <name>', 'OVS to run', 'trixie')
    .option('--measure <names>', 'bulk, parallel, reverse, datagrams, paced, connections, requests')
    .option('--policies <counts>', 'NetworkPolicies in the way, such as 0,100,1000', '0')
    .option('--turns <count>', 'trials of the baseline and of each path, in turn', '8')
    .option('--seconds <count>', 'how long a trial takes', '1')
    .option('--calibrate', 'measure the reference paths again; kept in the cache otherwise')
    .option('--usual-priority', 'measured programs wait for others: not before all else')
    .option('--plant <fault>', 'a fault that is to be found (docs/throughput.md)')
    .option('--json', 'print JSON (docs/throughput.schema.json)')
    .action(async (paths: string[], options: ThroughputCommand) =>
      finish(await (await import('./throughput.js')).throughput(context, paths, options)),
    );
}

/** Connections of real stacks while a cluster changes. */
export function defineConnections(program: Command, context: Context, finish: Finish): void {
  program
    .command('connections')
    .description('connections through a change, segment by segment')
    .argument('[names...]', 'such as antrea/policy-comes; all by default')
    .option('--backend <name>', 'netns, netns-userspace or docker', 'netns')
    .option('--image <name>', 'OVS to run', 'trixie')
    .option('--plant <fault>', 'connections-forgotten, flows-gone, change-forgotten: to be found')
    .option('--json', 'print JSON')
    .action(async (names: string[], options: ConnectionsOptions) =>
      finish(await (await import('./connections.js')).connections(context, names, options)),
    );
  program
    .command('http')
    .description('HTTP between real stacks, by k6')
    .argument('[paths...]', 'such as same-node, encap, cluster-ip, node-port; all by default')
    .option('--backend <name>', 'netns, netns-userspace or docker', 'netns')
    .option('--image <name>', 'OVS to run', 'trixie')
    .option('--clients <count>', 'so many at once', '4')
    .option('--seconds <count>', 'how long', '2')
    .option('--script', "print k6's scripts, and run none")
    .option('--plant <fault>', 'other-server, silent: to be found')
    .option('--json', 'print JSON')
    .action(async (paths: string[], options: HttpCommand) =>
      finish(await (await import('./http.js')).http(context, paths, options)),
    );
  program
    .command('guests')
    .description('a guest of QEMU migrates, while another talks to it')
    .option('--image <name>', 'OVS and OVN to run', 'trixie')
    .option('--plant <fault>', 'word-lost, delivered-twice, wrong-lease: to be found')
    .option('--json', 'print JSON')
    .action(async (options: GuestsOptions) =>
      finish(await (await import('./guests.js')).guests(context, options)),
    );
}
