/**
 * Goal: what the kernel refuses of a translation's actions takes all of them along, what it does
 * not know is executed for it, and what Linux drops before its switch does not come in. Method:
 * single frames through small tables, as both datapaths have them; frozen cases of the fuzzer hold
 * the kernel's to a kernel.
 */
import t from 'tap';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import { encodeIcmp } from '../../../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { arpOperations, encodeArp } from '../../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../../packet/bytes/header-layout.js';
import { buildNode } from '../../build-node.js';
import { flowCounts, receiveFrame } from '../../receive-frame.js';

const macs = { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01' };
const ends = { src: '10.0.0.1', dst: '10.0.0.2' };
const echo = encodeIcmp({ type: 8, code: 0, identifier: 9, sequence: 1 }, new Uint8Array());
const ping = encodeEthernet(
  { ...macs, etherType: etherTypes.ipv4 },
  encodeIpv4({ ...ends, ttl: 64, protocol: ipProtocols.icmp }, echo),
);
const arp = encodeEthernet(
  { ...macs, etherType: etherTypes.arp },
  encodeArp({
    op: arpOperations.request,
    sha: macs.src,
    spa: ends.src,
    tha: '00:00:00:00:00:00',
    tpa: ends.dst,
  }),
);
const withType = (frame: Uint8Array, ...type: readonly number[]) =>
  concatBytes(frame.subarray(0, 12), Uint8Array.from(type), frame.subarray(14));
const unknownType = withType(ping, 0x12, 0x34);
const tagged = withType(ping, 0x81, 0x00, 0x00, 0x07, 0x08, 0x00);
const llc = withType(ping, 0x00, 0x24, 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00);

const places = ['in ovs-vswitchd', 'in the kernel'] as const;

function nodeOf(flow: string, place: (typeof places)[number]) {
  const ports: BridgePlan['ports'] = [1, 2, 3, 4].map((ofport) => ({
    kind: 'endpoint',
    name: `p${ofport}`,
    ofport,
  }));
  const meters = ['meter=1,pktps,bands=type=drop,rate=1'];
  const bridge = { name: 'br0', mac: '02:00:00:00:00:fe', flows: [flow], meters, ports };
  return buildNode({ node: 'n1', bridges: [bridge], hosts: [] }, [3, 5, place]);
}

/** Where frames and packet-ins come out, and how many packets flows count, in both datapaths. */
function bothOf(flow: string, frame: Uint8Array, port = 'p1'): readonly string[] {
  return places.map((place) => {
    const node = nodeOf(flow, place);
    const { outputs, packetIns = [] } = receiveFrame(node, port, frame).step;
    const out = [...outputs.map((output) => output.port), ...packetIns.map(() => 'packet-in')];
    return `${out.join(' ')}:${flowCounts(node)[0]?.packets ?? 0}`;
  });
}

void t.test('labels that the kernel does not push', async (t) => {
  const pushes = 'actions=output:2,push_mpls:0x8847,output:3';
  t.same(bothOf(pushes, ping), ['p2 p3:1', 'p2 p3:1'], 'before IP it does');
  t.same(bothOf(pushes, arp), ['p2 p3:1', 'p2 p3:1'], 'before ARP as well');
  t.same(bothOf(pushes, unknownType), ['p2 p3:1', ':1'], 'and what went before is lost too');
  t.same(bothOf(pushes, tagged), ['p2 p3:1', ':1'], 'behind a tag');
  t.same(bothOf(`dl_vlan=7,actions=pop_vlan,${pushes.slice(8)}`, tagged), ['p2 p3:1', 'p2 p3:1']);
  t.same(bothOf('actions=push_mpls:0x8847', unknownType), [':1', ':1'], 'never pushed');
  const aside = 'actions=clone(push_mpls:0x8847,controller(id=7)),output:1';
  t.same(bothOf(aside, unknownType, 'p2'), ['p1 packet-in:1', ':1']);
});

void t.test('what was behind a label that was popped is not written', async (t) => {
  const aside = 'ip,actions=clone(push_mpls:0x8847,output:2),';
  t.same(bothOf(`${aside}output:3`, ping), ['p2 p3:1', 'p2 p3:1'], 'where nothing is changed');
  t.same(bothOf(`${aside}mod_nw_ttl:9,output:3`, ping), ['p2 p3:1', ':1']);
  const slow = 'icmp,actions=clone(push_mpls:0x8847,output:2),';
  t.same(
    bothOf(`${slow}mod_nw_ttl:9,set_field:3->icmp_code,output:3`, ping),
    ['p2 p3:1', 'p2 p3:1'],
    'unless ovs-vswitchd executes the actions, for one that the kernel does not know',
  );
  t.same(bothOf('actions=push_mpls:0x8847,output:2', llc), ['p2:1', 'p2:1'], 'behind LLC');
  t.throws(() => bothOf(`${aside}output:3`, llc), { name: 'Unsupported', message: /LLC/ });
});

void t.test('what a meter of the kernel drops is not known', async (t) => {
  const metered = (place: (typeof places)[number]) => {
    const node = nodeOf('actions=meter:1,output:2', place);
    return [1, 2].map(() => receiveFrame(node, 'p1', ping).step.outputs.length);
  };
  t.same(metered('in ovs-vswitchd'), [1, 0]);
  t.throws(() => metered('in the kernel'), { name: 'Unsupported', message: /its clock runs/ });
});

void t.test('a frame that is cut off comes to no table', async (t) => {
  const cut = (length: number) => tagged.subarray(0, length);
  t.same(bothOf('actions=output:2', cut(18)), ['p2:1', ':0']);
  t.same(bothOf('actions=output:2', cut(19)), ['p2:1', ':0']);
  t.same(bothOf('actions=output:2', cut(20)), ['p2:1', 'p2:1']);
  t.same(bothOf('actions=output:2', ping.subarray(0, 18)), ['p2:1', 'p2:1'], 'without a tag');
  t.same(bothOf('actions=output:2', cut(18), 'br0'), ['p2:1', 'p2:1'], 'from its own device');
  const twice = withType(tagged, 0x88, 0xa8, 0x0f, 0xff, 0x81, 0x00);
  t.same(bothOf('actions=output:2', twice.subarray(0, 20)), ['p2:1', ':0'], 'behind a second tag');
  t.same(bothOf('actions=output:2', twice.subarray(0, 22)), ['p2:1', 'p2:1']);
  const label = [0, 1, 0, 64];
  const labels = (...last: readonly number[]) =>
    withType(ping, 0x88, 0x47, ...label, ...label, ...last).subarray(0, 26);
  t.same(bothOf('actions=output:2', labels(0, 1, 1, 64)), ['p2:1', 'p2:1'], 'a whole stack');
  t.same(bothOf('actions=output:2', labels(...label)), ['p2:1', ':0'], 'without its bottom');
});
