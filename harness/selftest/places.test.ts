// Goal: where a promise is broken and model and switch agree, the first difference stands where the
// packet ended: in a table without a match, at a port that is not there, in a group, at a meter,
// behind a tunnel, at a host. Method: one ping on one node, with flows that end it in each of these
// ways, on a second model in the place of switches.
import t from 'tap';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import { antrea } from '../control/antrea/index.js';
import { staticFlows } from '../control/static.js';
import { placeText, reasonLines, type Location } from '../domain/location.js';
import { defineScenario } from '../domain/scenario.js';
import { intentOf } from '../intent/intent.js';
import { runScenario } from '../run/run-scenario.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';

const topology = antreaCluster({ nodes: 1, podsPerNode: 2, tunnel: 'geneve' });

async function placeOf(
  flows: readonly string[],
  { groups = [], meters = [] }: { groups?: readonly string[]; meters?: readonly string[] } = {},
): Promise<Location | undefined> {
  const text = ['priority=0 actions=NORMAL', ...flows].join('\n');
  const base = staticFlows(antrea('0.8'), [{ bridge: 'br-int', text, file: 'places.flows' }]);
  const scenario = defineScenario({
    name: 'selftest/places',
    title: 'Where a ping ends',
    axes: {},
    topology: () => topology,
    controlPlane: {
      ...base,
      plan: (cluster: typeof topology) => {
        const plan = base.plan(cluster);
        const nodes = plan.nodes.map((node) => ({
          ...node,
          bridges: node.bridges.map((bridge) =>
            bridge.name === 'br-int' ? { ...bridge, groups, meters } : bridge,
          ),
        }));
        return { ...plan, nodes };
      },
    },
    vectors: () => [{ id: 'ping', stimulus: { kind: 'ping', from: 'p1', to: '10.10.1.3' } }],
    intent: intentOf,
  });
  const { report } = await runScenario(
    scenario,
    {},
    {
      seed: 1,
      depth: 'cold',
      nowMs: () => 0,
      openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
    },
  );
  const [vector] = report.vectors;
  return vector?.differences[0]?.at;
}

const asked = 'ip,nw_dst=10.10.1.3';

void t.test('a table in which no flow matches, with what would have matched', async (t) => {
  const at = await placeOf([
    `priority=9,${asked} actions=goto_table:2`,
    'table=2,priority=7,ip,nw_dst=10.10.1.2 actions=NORMAL',
    'table=2,priority=8,tcp,tp_dst=80 actions=NORMAL',
  ]);
  t.ok(at !== undefined && 'miss' in at);
  t.equal(at && placeText(at), 'br-int on n1, table 2');
  t.strictSame(at && reasonLines(at), [
    'model and switch drop it here: no flow of table 2 matches',
    'nearest: table=2, priority=7,ip,nw_dst=10.10.1.2: needs nw_dst=10.10.1.2, the packet has ' +
      'nw_dst=10.10.1.3',
    'nearest: table=2, priority=8,tcp,tp_dst=80: needs nw_proto=6, the packet has nw_proto=1 and ' +
      'tp_dst=80, the packet has tp_dst=0',
  ]);
});

const ends: readonly (readonly [
  what: string,
  flows: readonly string[],
  more: Parameters<typeof placeOf>[1],
  because: RegExp,
  place?: string,
])[] = [
  [
    'a flow that drops',
    [`priority=9,${asked} actions=drop`],
    {},
    /drop it here: the flow says drop/,
  ],
  [
    'a port that is not there',
    [`priority=9,${asked} actions=output:99`],
    {},
    /there is no port 99/,
  ],
  [
    'a group without a bucket that is alive',
    [`priority=9,${asked} actions=group:5`],
    { groups: ['group_id=5,type=ff,bucket=watch_port:99,actions=output:99'] },
    /group 5 has no live bucket/,
  ],
  [
    'a meter that drops it',
    [
      `priority=9,${asked} actions=meter:1,resubmit(,3)`,
      'table=3,priority=1 actions=meter:1,NORMAL',
    ],
    { meters: ['meter=1,pktps,bands=type=drop,rate=1'] },
    /meter 1 drops it/,
    'br-int on n1, table 3',
  ],
  [
    'a tunnel that nobody ends',
    [`priority=9,${asked} actions=set_field:172.30.0.99->tun_dst,output:antrea-tun0`],
    {},
    /out of uplink here, and nobody there takes .* ARP who has 172\.30\.0\.99/,
    'br-phys on n1, table 0',
  ],
  [
    'a host that drops it',
    [`priority=9,${asked} actions=set_field:10.10.1.88->ip_dst,NORMAL`],
    {},
    /it drops it: no route to 10\.10\.1\.88/,
    'host p2',
  ],
];

for (const [what, flows, more, because, place = 'br-int on n1, table 0'] of ends)
  void t.test(what, async (t) => {
    const at = await placeOf(flows, more);
    t.match(at?.because, because);
    t.equal(at && placeText(at), place);
  });
