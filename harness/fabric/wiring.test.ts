// Goal: frames go where cables and networks lead, and nowhere else: every network between nodes is
// one of its own, and a host knows in a vector what it knew before. Method: a plan with two
// networks, and one uplink that nobody says the network of; single frames, and where they come out,
// in words.
import t from 'tap';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan, InterfacePlan } from '../domain/plan/host-plan.js';
import type { PortPlan } from '../domain/plan/port-plan.js';
import type { Stimulus } from '../domain/test-vector.js';
import { encodeEthernet } from '../packet/protocols/link/ethernet.js';
import { noMemories, type VectorRandomness } from './stack/host.js';
import { connectWires, type Delivery } from './wiring.js';

const macs = {
  up1: '02:00:00:00:01:01',
  up2: '02:00:00:00:02:01',
  up3: '02:00:00:00:03:01',
  mgmt1: '02:00:00:00:01:02',
  x: '02:00:00:00:00:01',
  y: '02:00:00:00:00:02',
} as const;
const via = (name: string, mac: string, ip: string, port?: string): InterfacePlan => ({
  name,
  mac,
  ip,
  prefixLength: 24,
  ...(port === undefined ? {} : { port }),
});
const host = (
  name: string,
  kind: HostPlan['kind'],
  ...interfaces: readonly InterfacePlan[]
): HostPlan => ({ name, kind, routes: [], interfaces });
const uplink = (name: string, mac: string): PortPlan => ({ kind: 'uplink', name, ofport: 1, mac });
const bridge = (name: string, ...ports: readonly PortPlan[]) => ({
  name,
  mac: '02:00:00:00:00:ff',
  flows: [],
  ports,
});
const under = (ip: string) => ({ underlay: { ip, prefixLength: 24, neighbours: [] } });

const plan: ClusterPlan = {
  nodes: [
    {
      node: 'n1',
      bridges: [
        bridge('br-int', { kind: 'endpoint', name: 'p1', ofport: 1 }),
        { ...bridge('br-phys', uplink('up1', macs.up1)), ...under('172.30.0.1') },
      ],
      hosts: [
        host('pod', 'pod', via('eth0', '02:00:00:00:0a:01', '10.10.1.2', 'p1')),
        host(
          'n1',
          'linux-node',
          via('br-phys', macs.up1, '172.30.0.1', 'br-phys'),
          via('mgmt', macs.mgmt1, '192.168.5.1'),
        ),
      ],
    },
    {
      node: 'n2',
      bridges: [{ ...bridge('br-phys', uplink('up2', macs.up2)), ...under('172.30.0.2') }],
      hosts: [],
    },
    { node: 'n3', bridges: [bridge('br', uplink('up3', macs.up3))], hosts: [] },
  ],
  externalHosts: [
    host('x', 'external', via('eth0', macs.x, '172.30.0.9')),
    host('y', 'external', via('eth0', macs.y, '192.168.5.9')),
  ],
};
const draws: VectorRandomness = {
  identifier: 7,
  srcPort: 50_000,
  payload: new Uint8Array(),
  sequences: { opener: 1, answerer: 2 },
};
const ping: Stimulus = { kind: 'ping', from: 'x', to: '172.30.0.1' };
const broadcast = 'ff:ff:ff:ff:ff:ff';
const frame = (dst: string) =>
  encodeEthernet({ dst, src: macs.x, etherType: 0x88b5 }, new Uint8Array(1));
const inWords = (deliveries: readonly Delivery[]) =>
  deliveries.map(
    ({ delayUs, arrival }) =>
      `${arrival.kind === 'to-switch' ? `${arrival.node} ${arrival.port}` : `${arrival.host.plan.name} ${arrival.via.name}`} ` +
      `after ${delayUs}`,
  );

void t.test('where frames go', async (t) => {
  const wiring = connectWires(plan, ping, draws, noMemories());
  const sent = (name: string, dst: string, index = 0) => {
    const from = wiring.host(name);
    const out = from.plan.interfaces[index];
    return out === undefined ? [] : inWords(wiring.fromHost(from, out, frame(dst)));
  };
  t.same(
    sent('pod', macs.x),
    ['n1 p1 after 10'],
    'to the port at the other end, whomever it is for',
  );
  t.same(inWords(wiring.fromSwitch('n1', 'p1', frame(broadcast))), ['pod eth0 after 10']);
  t.same(
    inWords(wiring.fromSwitch('n1', 'br-phys', frame(broadcast))),
    ['n1 br-phys after 10'],
    'LOCAL leads to the node itself',
  );
  t.same(inWords(wiring.fromSwitch('n1', 'nothing', frame(broadcast))), []);
  t.same(
    sent('x', broadcast),
    ['n1 up1 after 100', 'n2 up2 after 100', 'n3 up3 after 100'],
    'to all that is on its network, or may be',
  );
  t.same(sent('y', broadcast), ['n3 up3 after 100', 'n1 mgmt after 100']);
  t.same(
    sent('n1', broadcast, 1),
    ['n3 up3 after 100', 'y eth0 after 100'],
    'an adapter of a node that no switch has',
  );
  t.same(inWords(wiring.fromSwitch('n1', 'up1', frame(broadcast))), [
    'n2 up2 after 100',
    'n3 up3 after 100',
    'x eth0 after 100',
  ]);
  t.same(inWords(wiring.fromSwitch('n3', 'up3', frame(broadcast))), [
    'n1 up1 after 100',
    'n2 up2 after 100',
    'n1 mgmt after 100',
    'x eth0 after 100',
    'y eth0 after 100',
  ]);
  t.same(sent('x', macs.up2), ['n2 up2 after 100'], 'or to whom it is for');
  t.same(sent('x', macs.y), [], 'not to another network');
});

void t.test('what hosts know and do', async (t) => {
  const memories = noMemories();
  const wiring = connectWires(plan, ping, draws, memories);
  t.equal(wiring.host('x'), wiring.host('x'), 'one host for all that it takes part in');
  wiring.host('x').neighbours.set('172.30.0.1', { kind: 'known', mac: macs.up1 });
  t.equal(wiring.host('x').neighbours.size, 1);
  t.equal(
    connectWires(plan, ping, draws, memories).host('x').neighbours.size,
    1,
    'in the next vector as well',
  );
  t.equal(connectWires(plan, ping, draws, noMemories()).host('x').neighbours.size, 0);
  t.same(
    ['n1', 'pod', 'x'].map((name) => [...wiring.host(name).deviceAddresses]),
    [['172.30.0.1'], ['172.30.0.1'], []],
    'the device of its LOCAL port answers for a node',
  );
  const interjection = { by: 'opener', segment: 'syn-fin' } as const;
  t.same(
    connectWires(
      plan,
      { kind: 'tcp', from: 'x', to: '172.30.0.1', port: 7, interjection },
      draws,
      noMemories(),
    ).host('x').interjection,
    interjection,
  );
  t.equal(wiring.host('x').interjection, undefined);
  t.throws(() => wiring.host('z'), /unknown host "z"/);
});
