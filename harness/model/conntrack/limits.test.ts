/**
 * Goal: limits and timeouts of zones count as each version counts them, and what depends on a
 * thread that runs in real time is refused. Method: datagrams from one port after another;
 * configured.live.test.ts holds hundreds of others to switches.
 */
import t from 'tap';
import type { ConntrackPlan } from '../../domain/plan/cluster-plan.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { Version } from '../behaviour.js';
import type { ModelNode } from '../model-node.js';
import { buildNode } from '../build-node.js';
import { stateOf } from '../state-of-node.js';
import { receiveFrame } from '../receive-frame.js';

/** Port p1 is zone 1, and so on. */
function zones(conntrack: ConntrackPlan, version?: Version): ModelNode {
  const flows = [1, 2, 3].map((zone) => `ip,in_port=${zone},actions=ct(commit,zone=${zone})`);
  const ports = [1, 2, 3].map((ofport) => ({
    kind: 'endpoint' as const,
    name: `p${ofport}`,
    ofport,
  }));
  return buildNode(
    {
      node: 'n',
      hosts: [],
      conntrack,
      bridges: [{ name: 'br', mac: '02:00:00:00:00:fe', ports, flows }],
    },
    version,
  );
}

function send(node: ModelNode, zone: number, srcPort: number): void {
  const ends = { src: '10.0.0.1', dst: '10.0.0.2' };
  const packet = encodeIpv4(
    { ...ends, ttl: 64, protocol: ipProtocols.udp },
    encodeUdp({ srcPort, dstPort: 9 }, new Uint8Array(1), ends),
  );
  receiveFrame(
    node,
    `p${zone}`,
    encodeEthernet(
      { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
      packet,
    ),
  );
}

/** Connections by zone after five packets into each. */
function counted(conntrack: ConntrackPlan, version?: Version): readonly number[] {
  const node = zones(conntrack, version);
  for (const srcPort of [1, 2, 3, 4, 5]) for (const zone of [1, 2, 3]) send(node, zone, srcPort);
  return [1, 2, 3].map(
    (zone) => stateOf(node).connections.filter((connection) => connection.zone === zone).length,
  );
}

void t.test('limits', async (t) => {
  const limits = [
    { zone: 1, connections: 2 },
    { zone: 'default', connections: 3 },
  ] as const;
  t.strictSame(counted({}), [5, 5, 5]);
  t.strictSame(
    counted({ limits }),
    [2, 3, 3],
    'each zone has the limit of its own, or the common one',
  );
  t.strictSame(counted({ limits }, [3, 1]), [2, 2, 1], 'which once was for all of them together');
  t.strictSame(
    counted({
      limits: [
        { zone: 2, connections: 0 },
        { zone: 'default', connections: 0 },
      ],
    }),
    [5, 0, 5],
    'zero is none of a zone, and no limit for the others',
  );
  t.strictSame(counted({ mostConnections: 7 }), [3, 2, 2]);
});

void t.test('connections that have expired may still count', async (t) => {
  const node = zones({ limits: [{ zone: 1, connections: 2 }] });
  for (const srcPort of [1, 2]) send(node, 1, srcPort);
  node.nowMs = 60_000;
  t.throws(
    () => {
      send(node, 1, 3);
    },
    { name: 'Unsupported', message: /still count against a limit/ },
  );
});

void t.test('timeouts', async (t) => {
  const node = zones({ timeouts: [{ zone: 1, seconds: { udp_first: 5 } }] });
  for (const zone of [1, 2]) send(node, zone, 1);
  t.strictSame(
    stateOf(node).connections.map(({ timeoutS }) => timeoutS),
    [5, 60],
  );
  t.throws(() => zones({ timeouts: [{ zone: 1, seconds: { udp_last: 5 } }] }), {
    name: 'InputError',
    message: /"udp_last" is no timeout of connections: these are tcp_syn_sent, /,
  });
});
