/**
 * Goal: on network namespaces a scenario has the verdict and the trace hash that it has on the sim,
 * and a fault in a switch is found there. Method: vectors of every kind of antrea/encap on both;
 * then where a Docker engine's rules drop what is forwarded, and behind a flow that writes a wrong
 * MAC address.
 */
import { spawnSync } from 'node:child_process';
import t from 'tap';
import { openImage } from '../../images/images.js';
import encap from '../../scenarios/antrea/encap.js';
import { netnsUserspace } from '../testbeds/netns/netns-backend.js';
import type { Backend } from '../testbeds/backend.js';
import { sim } from '../testbeds/sim/sim-backend.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import { runScenario } from './run-scenario.js';

const image = await openImage('trixie', (line) => t.comment(line));
const skip = process.getuid?.() === 0 ? false : 'not root';
const ids = [
  'ping/p1/p2',
  'ping/p1/p4',
  'udp/p5/p2',
  'tcp/p1/p5',
  'ping/n1/p4',
  'ttl-2/p1/p4',
  'arp/p1/n2',
  'spoof-arp-mac/p1',
  'unknown/p1/own-subnet',
  'broadcast/p1',
];

async function run(backend: Backend, plant?: (switches: OvsSwitches) => Promise<unknown>) {
  let opened: OvsSwitches | undefined;
  const { report } = await runScenario(
    encap,
    { nodes: '2', tunnel: 'geneve' },
    {
      seed: 1,
      nowMs: () => 0,
      only: ({ id }) => ids.includes(id),
      openReal: async (plan) => (opened = await backend.open(plan, image)),
      afterProgramming: async () => {
        if (opened !== undefined) await plant?.(opened);
      },
    },
  );
  return report;
}

void t.test('the same trace on both', { skip }, async (t) => {
  const [expected, seen] = [await run(sim), await run(netnsUserspace)];
  t.equal(seen.verdict, 'conforms');
  t.equal(seen.traceHash, expected.traceHash);
});

/** As dockerd leaves a machine (docs.docker.com, "Packet filtering and firewalls"). */
const dockerRules = `
table ip filter { chain FORWARD { type filter hook forward priority 0; policy drop; }; }
table ip6 filter { chain FORWARD { type filter hook forward priority 0; policy drop; }; }
`;

void t.test('beside a Docker engine that drops what is forwarded', { skip }, async (t) => {
  // The tables are this machine's own for as long as a namespace around the run has them.
  const ended = spawnSync(
    'unshare',
    [
      ...['--net', 'sh', '-ec', 'echo "$1" | nft -f -; shift; exec "$@"', 'sh', dockerRules],
      ...[process.execPath, 'dist/harness/cli/main.js', 'run', 'antrea/encap', '--json'],
      ...['--backend', 'netns-userspace', '--passes', 'cold'],
    ],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  const { scenarios } = JSON.parse(ended.stdout) as {
    readonly scenarios: readonly { readonly verdict: string; readonly traceHash: string }[];
  };
  t.equal(ended.status, 0, ended.stderr);
  t.match(scenarios, [{ verdict: 'conforms' }]);
});

void t.test('a wrong MAC address diverges, and has its place', { skip }, async (t) => {
  const report = await run(netnsUserspace, (switches) =>
    switches.ofctl(
      'n2',
      'br-int',
      'add-flow',
      'table=70,priority=201,ip,nw_dst=10.10.1.2,actions=set_field:aa:bb:cc:dd:ee:00->eth_dst,' +
        'goto_table:80',
    ),
  );
  t.equal(report.verdict, 'diverges');
  const difference = report.vectors.find(({ id }) => id === 'ping/p1/p4')?.differences[0];
  t.equal(difference?.aspect, 'frames');
  t.equal(report.vectors.find(({ id }) => id === 'ping/p1/p2')?.verdict, 'conforms');
});
