// Goal: a Windows node has one bridge, with what the seed says of its ports, flows and routes.
// Method: nodes of a mixed cluster in every mode against the seed's own lines.
import t from 'tap';
import { mixedCluster } from '../../../../topologies/antrea/mixed-cluster.js';
import type { HostPlan } from '../../../domain/plan/host-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { TrafficMode } from '../../../../topologies/antrea/antrea-topology.js';
import { antrea } from '../index.js';
import { gatewayPort, integrationBridge, viewFrom } from '../node-view.js';
import { windowsHost } from './plan.js';
import { nodeJoined, nodeLeft } from './routes.js';

function firstNode(
  mode: TrafficMode,
  nodes = 'WL',
): { readonly bridge: BridgePlan; readonly host: HostPlan } {
  const [plan] = antrea('1.3').plan(
    mixedCluster({ nodes, podsPerNode: 1, mode, tunnel: 'geneve' }),
  ).nodes;
  const [bridge, ...others] = plan?.bridges ?? [];
  const host = plan?.hosts.find(({ name }) => name === 'n1');
  if (bridge === undefined || host === undefined || others.length > 0)
    throw new Error('a bridge, none below, and a host');
  return { bridge, host };
}

void t.test('encap', async (t) => {
  const { bridge, host } = firstNode('encap');
  t.match(
    bridge,
    { name: 'br-int', mac: '0a:00:ac:1e:00:01', underlay: { ip: '172.30.0.1' } },
    "the host's own address is at LOCAL",
  );
  t.same(bridge.ports, [
    { kind: 'uplink', name: 'Ethernet0', ofport: 3, mac: '0a:00:ac:1e:00:01', flood: 'never' },
    {
      kind: 'tunnel',
      name: 'antrea-tun0',
      ofport: 1,
      tunnel: 'geneve',
      options: { remote_ip: 'flow', key: 'flow', local_ip: '172.30.0.1' },
    },
    { kind: 'internal', name: 'antrea-gw0', ofport: 2, mac: '0a:00:0a:0a:01:01' },
    { kind: 'endpoint', name: 'p1-f64551', ofport: 4 },
  ]);
  t.same(
    bridge.flows.filter((flow) => /Ethernet0|LOCAL/.test(flow)),
    [
      'table=0,priority=200,in_port=Ethernet0 actions=LOCAL',
      'table=0,priority=200,in_port=LOCAL actions=output:Ethernet0',
    ],
  );
  t.same(
    host.interfaces.map(({ name, port, ip }) => `${name} ${port} ${ip}`),
    ['antrea-gw0 antrea-gw0 10.10.1.1', 'br-int br-int 172.30.0.1'],
    'the adapter itself has no address any more',
  );
  t.same(
    host.routes.map(({ destination, via, interface: name }) => `${destination} ${via} ${name}`),
    [
      '169.254.0.253/32 169.254.0.253 antrea-gw0',
      '10.96.0.0/12 169.254.0.253 antrea-gw0',
      '10.10.2.0/24 10.10.2.1 antrea-gw0',
      '0.0.0.0/0 172.30.255.254 br-int',
    ],
  );
  t.match(host, {
    neighbours: [{ ip: '169.254.0.253', mac: 'aa:bb:cc:dd:ee:ff' }],
    forwardsFrom: ['antrea-gw0'],
    forwarding: { destinations: [], sources: [{ from: ['10.10.1.0/24', '169.254.0.253/32'] }] },
  });
});

void t.test('named pipes, where the design has them', async (t) => {
  const {
    nodes: [windows, linux],
  } = antrea('1.3').plan(
    mixedCluster({ nodes: 'WL', podsPerNode: 1, mode: 'encap', tunnel: 'geneve' }),
  );
  t.same(
    windows?.pipes?.map(({ use }) => use),
    ['OVSDB', 'OpenFlow', 'CNI'],
  );
  t.ok(
    windows?.pipes?.every(({ name }) => /^\\\\\.\\pipe\\/.test(name)),
    JSON.stringify(windows?.pipes),
  );
  t.equal(linux?.pipes, undefined);
});

void t.test('noEncap', async (t) => {
  const { bridge, host } = firstNode('noEncap');
  t.same(
    bridge.ports.map(({ kind, ofport }) => `${kind} ${ofport}`),
    ['uplink 3', 'internal 2', 'endpoint 4'],
    'no tunnel',
  );
  const [localPodSubnet, peerPodSubnet, peerNodeMac, peerNodeIp] = [
    '10.10.1.0/24',
    '10.10.2.0/24',
    '0a:00:ac:1e:00:02',
    '172.30.0.2',
  ];
  t.same(
    bridge.flows.filter((flow) => /Ethernet0|LOCAL|0a:00:ac:1e|10\.10\.2\./.test(flow)),
    [
      `table=0,priority=210,ip,in_port=Ethernet0,nw_dst=${localPodSubnet} ` +
        'actions=load:0x4->NXM_NX_REG0[0..15],load:0x1->NXM_NX_REG0[19],resubmit(,29)',
      'table=0,priority=200,in_port=Ethernet0 actions=LOCAL',
      'table=0,priority=200,in_port=LOCAL actions=output:Ethernet0',
      `table=70,priority=200,ip,nw_dst=${peerPodSubnet} ` +
        `actions=mod_dl_dst:${peerNodeMac},resubmit(,80)`,
      `table=70,priority=200,ct_state=+rpl+trk,ip,nw_dst=${peerNodeIp} ` +
        `actions=mod_dl_dst:${peerNodeMac},resubmit(,80)`,
      `table=80,priority=200,dl_dst=${peerNodeMac} actions=load:0x3->NXM_NX_REG1[],` +
        'set_field:0x10000/0x10000->reg0,resubmit(,105)',
    ],
    "the seed's lines",
  );
  t.same(host.routes[2], {
    destination: peerPodSubnet,
    via: peerNodeIp,
    interface: 'br-int',
    onlink: true,
  });
});

void t.test(
  'a host that a node has joined, and left, is the one that was planned with it, and without',
  async (t) => {
    for (const mode of ['encap', 'noEncap', 'hybrid'] as const) {
      const topology = mixedCluster({ nodes: 'WLW', podsPerNode: 1, mode, tunnel: 'geneve' });
      const planned = (nodes: number) =>
        topology.nodes
          .slice(0, 1)
          .map((node) => viewFrom(node, { ...topology, nodes: topology.nodes.slice(0, nodes) }))[0];
      const [alone, joined] = [planned(2), planned(3)];
      const peer = joined?.peers[1];
      if (alone === undefined || joined === undefined || peer === undefined)
        throw new Error('a third node');
      const [without, withIt] = [windowsHost(alone), windowsHost(joined)];
      t.strictSame(nodeLeft(withIt, 'n3'), { kind: 'done', host: without }, `${mode}: it leaves`);
      const peerOptions = {
        name: peer.name,
        podCidr: peer.podCidr,
        gatewayIp: peer.gateway.ip,
        underlayIp: peer.underlay.ip,
        reach: peer.reach,
      };
      t.strictSame(
        nodeJoined(without, peerOptions, { gateway: gatewayPort.name, bridge: integrationBridge }),
        { kind: 'done', host: withIt },
        `${mode}: it joins`,
      );
      t.strictNotSame(
        nodeLeft(withIt, 'n2'),
        { kind: 'done', host: without },
        `${mode}: another one leaves`,
      );
      t.strictNotSame(withIt, without, `${mode}: it stays`);
    }
  },
);

void t.test("a pipeline that leaves Services to the node's stack is refused", async (t) => {
  t.throws(
    () =>
      antrea('0.8').plan(
        mixedCluster({ nodes: 'LW', podsPerNode: 1, mode: 'encap', tunnel: 'geneve' }),
      ),
    {
      name: 'InputError',
      message:
        'node "n2" runs Windows, and antrea-0.8 has no AntreaProxy, which Windows nodes need; ' +
        "use antrea('1.3')",
    },
  );
});
