/**
 * Goal: what L0 promises of pods is what OVN's own ovn-trace makes of the rows that the plugin and
 * its watcher have written: a fourth voice beside intent, model and switch; and asked about all of
 * them in turn it says what it says of each alone. Method: each pair of pods of the shop, a
 * datagram from one to the other, through the southbound database alone; in turn with states that
 * are expected and not asked for, too many, too few, and others than those that are asked for.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { shop, shopWithEgress } from '../../../topologies/ovn-cni/shop.js';
import type { OvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-topology.js';
import { assert } from '../../base/errors/errors.js';
import type { LogicalPacket, LogicalTrace } from '../../domain/logical-trace.js';
import { podsOf } from '../../domain/topology.js';
import { ovnCniPromises } from '../../intent/ovn-cni/promises.js';
import { intentOf } from '../../intent/intent.js';
import { encodeIpv4 } from '../../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { attachmentsOn } from '../../control/ovn-cni/attachments.js';
import { ovnCni } from '../../control/ovn-cni/index.js';
import { logicalPortOf } from '../../control/ovn-cni/names.js';

const image = await openImage('trixie', (line) => t.comment(line));

const clusters = { shop: shop(), egress: shopWithEgress('ingress and egress') };
for (const [name, cluster] of Object.entries(clusters))
  void t.test(name, { timeout: 300_000 }, async (t) => {
    const switches = await openSim(ovnCni().plan(cluster), image);
    t.teardown(() => switches.close());
    const { traceLogically } = switches;
    assert(traceLogically !== undefined, 'OVN programs the switches');
    const ends = endsOf(cluster);
    const seen = { passes: 0, blocked: 0 };
    for (const from of ends)
      for (const to of ends) {
        if (from === to) continue;
        const stimulus = { kind: 'udp', from: from.pod.name, to: to.pod.ip, port: 7 } as const;
        const { kind } = intentOf(cluster, stimulus, ovnCniPromises);
        const passes = kind === 'round-trip';
        const traced = await trace(traceLogically, from, to);
        t.equal(traced, passes, `${from.pod.name} to ${to.pod.name}: promised ${kind}`);
        seen[passes ? 'passes' : 'blocked'] += 1;
      }
    t.ok(seen.passes > 0 && seen.blocked > 0, JSON.stringify(seen));
    const packets = ends
      .flatMap((from) => ends.filter((to) => to !== from).map((to) => packetOf(from, to)))
      .map((packet, index) => ({ ...packet, ...answersAt(index) }));
    const alone = [];
    for (const packet of packets) alone.push(...(await traceLogically([packet])));
    t.strictSame((await traceLogically(packets)).map(said), alone.map(said));
    const commands = new Set(alone.map(({ command }) => command.split(' inport')[0]));
    t.ok(commands.size > 3, [...commands].join('; '));
  });

const expected = [[], [0x21], [0x21, 0x22], [0x22, 0x21, 0x21], [0x21, 0x21, 0x21, 0x21], [0x62]];

/** What the tracker says to each packet in turn, and what is expected of it beforehand. */
function answersAt(index: number): Pick<LogicalPacket, 'ctState' | 'ctStates'> {
  const said = [0x21, 0x22, index % 2 === 0 ? 0x2a : 0x21];
  return { ctStates: expected[index % expected.length] ?? [], ctState: (_, nth) => said[nth] };
}

function said({ command, flows, outputs, supposed }: LogicalTrace): Partial<LogicalTrace> {
  return { command, flows, outputs, supposed };
}

interface End {
  readonly pod: { readonly name: string; readonly ip: string; readonly mac: string };
  readonly port: string;
  readonly node: string;
  readonly gatewayMac: string;
}

function endsOf(cluster: OvnCniCluster): readonly End[] {
  const nodeOf = new Map(podsOf(cluster).map(({ pod, node }) => [pod.name, node]));
  return cluster.nodes.flatMap((node) =>
    attachmentsOn(node, cluster).map(({ pod, attachment }) => ({
      pod,
      port: logicalPortOf(attachment),
      node: nodeOf.get(pod.name)?.name ?? '',
      gatewayMac: node.gateway.mac,
    })),
  );
}

/** Whether ovn-trace(8) puts a first datagram out at the port of `to`. */
async function trace(
  ask: NonNullable<OvsSwitches['traceLogically']>,
  from: End,
  to: End,
): Promise<boolean> {
  const [trace] = await ask([packetOf(from, to)]);
  return trace?.outputs.includes(to.port) === true;
}

function packetOf(from: End, to: End): LogicalPacket {
  return {
    node: from.node,
    logicalPort: from.port,
    frame: datagram(from, to),
    ctState: () => newConnection,
  };
}

/** Bits of ct_state: trk and new. */
const newConnection = 0x21;

function datagram(from: End, to: End): Uint8Array {
  const nextHop = from.node === to.node ? to.pod.mac : from.gatewayMac;
  const [src, dst] = [from.pod.ip, to.pod.ip];
  const udp = encodeUdp({ srcPort: 40_000, dstPort: 7 }, new Uint8Array(8), { src, dst });
  const ip = encodeIpv4({ src, dst, protocol: 17, ttl: 64 }, udp);
  return encodeEthernet({ src: from.pod.mac, dst: nextHop, etherType: etherTypes.ipv4 }, ip);
}
