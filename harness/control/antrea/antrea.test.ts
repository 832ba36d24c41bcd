// Goal: the control plane programs what the seed lists, for any cluster and not just the seed's.
// Method: the cluster that the seed's listing was dumped from, flow by flow against the listing
// (seed-flows.txt), in the parser's canonical form; every difference is named below. Then other
// names, ports, subnets and sizes.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { antreaCluster } from '../../../topologies/antrea/antrea-cluster.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { AntreaTopology } from '../../../topologies/antrea/antrea-topology.js';
import { parseFlow, parseFlows, printFlow } from '../../openflow/flows/flow.js';
import { noNames } from '../../openflow/syntax/form.js';
import { parseBridgeFlows } from '../../openflow/bridge-program.js';
import { staticFlows } from '../static.js';
import { antrea } from './index.js';

const seedCluster: AntreaTopology = {
  name: 'seed',
  mode: 'encap',
  tunnel: 'geneve',
  serviceCidr: '10.96.0.0/12',
  nodes: [
    {
      name: 'k8s-node-0',
      underlay: { ip: '192.168.77.100', prefixLength: 24, mac: '0a:00:c0:a8:4d:64' },
      podCidr: '10.10.0.0/24',
      gateway: { ip: '10.10.0.1', mac: 'e2:e5:a4:9b:1c:b1' },
      pods: [
        { name: 'coredns-5644d7b6d9-a', ip: '10.10.0.2', mac: '12:9e:a6:47:d0:70' },
        { name: 'coredns-5644d7b6d9-b', ip: '10.10.0.3', mac: 'ba:a8:13:ca:ed:cf' },
      ],
    },
    {
      name: 'k8s-node-1',
      underlay: { ip: '192.168.77.101', prefixLength: 24, mac: '0a:00:c0:a8:4d:65' },
      podCidr: '10.10.1.0/24',
      gateway: { ip: '10.10.1.1', mac: '0a:00:0a:0a:01:01' },
      pods: [],
    },
  ],
};

/**
 * The port names of the seed's listing, by the numbers that its tables 70 and 80 load into reg1.
 */
const seedPorts = new Map([
  ['antrea-tun0', 1],
  ['antrea-gw0', 2],
  ['coredns5-8ec607', 3],
  ['coredns5-9d9530', 4],
]);

/**
 * What the listing has for the seed's example policies, and a cluster without policies does not.
 */
const policyExample = /conjunction\(|conj_id=|table=60, priority=200|table=100, priority=200/;

/**
 * Where the listing contradicts itself or leaves a line out: its line, and the one chosen.
 * docs/antrea-pipeline.md has the reasons.
 */
const chosen: readonly (readonly [listed: string | undefined, ours: string])[] = [
  ['table=40, priority=0 actions=goto_table:50', 'table=40, priority=0 actions=goto_table:45'],
  [
    undefined,
    'table=70, priority=200,ip,dl_dst=aa:bb:cc:dd:ee:ff,nw_dst=10.10.0.3 ' +
      'actions=mod_dl_src:e2:e5:a4:9b:1c:b1,mod_dl_dst:ba:a8:13:ca:ed:cf,dec_ttl,goto_table:80',
  ],
  [undefined, 'table=70, priority=0 actions=goto_table:80'],
  ...[
    'dl_dst=e2:e5:a4:9b:1c:b1 2',
    'dl_dst=aa:bb:cc:dd:ee:ff 1',
    'dl_dst=12:9e:a6:47:d0:70 3',
    'dl_dst=ba:a8:13:ca:ed:cf 4',
  ].map((port) => {
    const [match, ofport] = port.split(' ');
    const upTo =
      `table=80, priority=200,${match} ` +
      `actions=load:0x${ofport}->NXM_NX_REG1[],load:0x1->NXM_NX_REG0[16]`;
    return [`${upTo},goto_table:90`, `${upTo},goto_table:85`] as const;
  }),
  ['table=80, priority=0 actions=goto_table:90', 'table=80, priority=0 actions=goto_table:85'],
  [
    'table=90, priority=210,ip,nw_src=10.10.1.1 actions=goto_table:105',
    'table=90, priority=210,ip,nw_src=10.10.0.1 actions=goto_table:105',
  ],
];

void t.test("every flow is the seed's, but for the choices listed", async (t) => {
  const listing = readFileSync('harness/control/antrea/seed-flows.txt', 'utf8')
    .split('\n')
    .filter((line) => /^table=/.test(line) && !policyExample.test(line));
  const canonical = (line: string) => printFlow(parseFlow(line, { ...noNames, ports: seedPorts }));
  const unlisted = chosen
    .flatMap(([listed]) => (listed === undefined ? [] : [listed]))
    .filter((line) => !listing.includes(line));
  t.same(unlisted, [], 'every line that is replaced stands in the listing');
  const replaced = new Map(chosen);
  const expected = [
    ...listing.map((line) => replaced.get(line) ?? line),
    ...chosen.flatMap(([listed, ours]) => (listed === undefined ? [ours] : [])),
  ].map(canonical);
  const actual = printedFlows(nodePlan(seedCluster, 'k8s-node-0'));
  for (const table of [0, 10, 20, 30, 31, 40, 45, 50, 60, 70, 80, 85, 90, 100, 105, 110]) {
    const ofTable = (flows: readonly string[]) =>
      flows.filter((flow) => flow.startsWith(`table=${table}, `)).sort();
    t.not(ofTable(expected).length, 0, `the listing has table ${table}`);
    t.same(ofTable(actual), ofTable(expected), `table ${table}`);
  }
  t.equal(actual.length, expected.length, 'and no other table');
});

void t.test('interfaces are named as Antrea names them, and never alike', async (t) => {
  const names = nodePlan(seedCluster, 'k8s-node-0').bridges[0]?.ports.map(
    ({ name, ofport }) => `${ofport} ${name}`,
  );
  t.match(names, [
    '1 antrea-tun0',
    '2 antrea-gw0',
    /^3 coredns5-[0-9a-f]{6}$/,
    /^4 coredns5-[0-9a-f]{6}$/,
  ]);
  t.ok(new Set(names).size === 4);
  const crowd = antrea('0.8')
    .plan(antreaCluster({ nodes: 3, podsPerNode: 100, tunnel: 'geneve' }))
    .nodes.flatMap(({ bridges }) => bridges.flatMap(({ ports }) => ports));
  t.ok(
    crowd.every(({ name }) => name.length <= 15 && /^[a-z][a-z0-9-]*$/.test(name)),
    'Linux takes 15 characters',
  );
});

void t.test('hosts: routes to every peer by its gateway, as the seed has them', async (t) => {
  const { hosts, bridges } = nodePlan(
    antreaCluster({ nodes: 3, podsPerNode: 1, tunnel: 'geneve' }),
    'n2',
  );
  t.same(hosts.find(({ name }) => name === 'n2')?.routes, [
    { destination: '10.10.1.0/24', via: '10.10.1.1', interface: 'antrea-gw0', onlink: true },
    { destination: '10.10.3.0/24', via: '10.10.3.1', interface: 'antrea-gw0', onlink: true },
    { destination: '0.0.0.0/0', via: '172.30.255.254', interface: 'eth0', onlink: false },
  ]);
  t.same(hosts.find(({ name }) => name === 'p2')?.routes, [
    { destination: '0.0.0.0/0', via: '10.10.2.1', interface: 'eth0', onlink: false },
  ]);
  const ports = new Set(
    bridges.flatMap(({ name, ports }) => [name, ...ports.map((port) => port.name)]),
  );
  t.ok(
    hosts.every(({ interfaces }) => interfaces.every(({ port = 'none' }) => ports.has(port))),
    'every interface ends at a port',
  );
  t.same(
    bridges[1]?.underlay?.neighbours.map(({ ip }) => ip),
    ['172.30.0.1', '172.30.0.3'],
  );
});

void t.test(
  'other subnets, Services and peers reach the flows; nothing of the seed is left in them',
  async (t) => {
    const topology: AntreaTopology = {
      ...seedCluster,
      serviceCidr: '172.20.0.0/16',
      nodes: [
        {
          ...seedCluster.nodes[0]!,
          podCidr: '192.168.4.0/22',
          gateway: { ip: '192.168.4.1', mac: '02:00:00:00:00:01' },
          pods: [{ name: 'web.0', ip: '192.168.7.254', mac: '02:00:00:00:00:02' }],
        },
        {
          ...seedCluster.nodes[1]!,
          podCidr: '192.168.8.0/25',
          gateway: { ip: '192.168.8.126', mac: '02:00:00:00:00:03' },
          underlay: { ip: '192.168.77.7', prefixLength: 24, mac: '02:00:00:00:00:04' },
        },
      ],
    };
    const flows = printedFlows(nodePlan(topology, 'k8s-node-0')).join('\n');
    t.notMatch(flows, /10\.10\.|10\.96\.|0xa0a|e2:e5|0xe2e5/);
    t.equal(flows, printedFlows(nodePlan(topology, 'k8s-node-0')).join('\n'), 'the same again');
    for (const line of [
      'table=20, priority=200,arp,arp_tpa=192.168.8.126,arp_op=1 ' +
        'actions=move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[],mod_dl_src:aa:bb:cc:dd:ee:ff,' +
        'load:0x2->NXM_OF_ARP_OP[],move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[],' +
        'load:0xaabbccddeeff->NXM_NX_ARP_SHA[],move:NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[],' +
        'load:0xc0a8087e->NXM_OF_ARP_SPA[],IN_PORT',
      'table=31, priority=200,ct_state=-new+trk,ct_mark=0x20,ip ' +
        'actions=load:0x020000000001->NXM_OF_ETH_DST[],goto_table:40',
      'table=40, priority=200,ip,nw_dst=172.20.0.0/16 ' +
        'actions=load:0x2->NXM_NX_REG1[],load:0x1->NXM_NX_REG0[16],goto_table:105',
      'table=70, priority=200,ip,nw_dst=192.168.8.0/25 actions=dec_ttl,' +
        'mod_dl_src:02:00:00:00:00:01,mod_dl_dst:aa:bb:cc:dd:ee:ff,load:0x1->NXM_NX_REG1[],' +
        'load:0x1->NXM_NX_REG0[16],load:0xc0a84d07->NXM_NX_TUN_IPV4_DST[],goto_table:105',
    ]) {
      t.ok(flows.includes(printFlow(parseFlow(line))), line.slice(0, 60));
    }
  },
);

void t.test('a cluster that cannot exist is refused', async (t) => {
  const [local, peer] = [seedCluster.nodes[0]!, seedCluster.nodes[1]!];
  t.throws(
    () =>
      antrea('0.8').plan({
        ...seedCluster,
        nodes: [{ ...local, gateway: { ...local.gateway, mac: 'aa:bb:cc:dd:ee:ff' } }],
      }),
    { name: 'InputError', message: /gateway of k8s-node-0/ },
  );
  t.throws(
    () =>
      antrea('0.8').plan({ ...seedCluster, nodes: [local, { ...peer, podCidr: '10.10.0.0/16' }] }),
    { name: 'InputError', message: /10\.10\.0\.0\/16 overlaps 10\.10\.0\.0\/24/ },
  );
});

void t.test("static flows: one's own text on Antrea's ports", async (t) => {
  const topology = antreaCluster({ nodes: 2, podsPerNode: 1, tunnel: 'geneve' });
  const own = staticFlows(antrea('0.8'), [
    { bridge: 'br-int', text: '# all\npriority=0 actions=NORMAL # learn\n\n' },
    { bridge: 'br-int', node: 'n2', text: 'actions=drop' },
  ]);
  const { nodes } = own.plan(topology);
  const printed = nodes.map(({ node, bridges }) =>
    bridges.map((bridge) => parseBridgeFlows(node, bridge).map(printFlow)),
  );
  const normal = 'table=0, priority=0 actions=NORMAL';
  t.same(printed, [
    [[normal], [normal]],
    [['table=0, priority=32768 actions=drop'], [normal]],
  ]);
  t.same(nodes[0]?.hosts, antrea('0.8').plan(topology).nodes[0]?.hosts);
  const [wrong] = staticFlows(antrea('0.8'), [
    {
      bridge: 'br-int',
      text: '# mine\n\npriority=1,ip,nw_dst=10.0.0.300 actions=drop',
      file: 'mine.flows',
    },
  ]).plan(topology).nodes;
  t.throws(() => parseBridgeFlows('n1', wrong!.bridges[0]!), {
    name: 'InputError',
    message: /^mine\.flows:3:22: .*"10\.0\.0\.300"/,
  });
  t.throws(() => staticFlows(antrea('0.8'), [{ bridge: 'br-in', text: '' }]).plan(topology), {
    name: 'InputError',
    message: /unknown bridge "br-in". Did you mean "br-int"/,
  });
  t.throws(
    () => staticFlows(antrea('0.8'), [{ bridge: 'br-int', node: 'n7', text: '' }]).plan(topology),
    { name: 'InputError', message: /unknown node "n7"/ },
  );
});

function nodePlan(topology: AntreaTopology, name: string): NodePlan {
  const plan = antrea('0.8')
    .plan(topology)
    .nodes.find(({ node }) => node === name);
  if (plan === undefined) throw new Error(`no plan for ${name}`);
  return plan;
}

/** The flows of br-int in canonical form; parsing proves that no name is left unresolved. */
function printedFlows({ bridges }: NodePlan): readonly string[] {
  const bridge = bridges.find(({ name }) => name === 'br-int');
  const ports = new Map(bridge?.ports.map((port) => [port.name, port.ofport]));
  return parseFlows(bridge?.flows.join('\n') ?? '', 'br-int', { ...noNames, ports }).map(printFlow);
}
