/**
 * Faults that a run must catch: in the flows of a running switch, on its wire, and in the compiler
 * of flows.
 */
import { assert } from '../base/errors/errors.js';
import type { BridgePlan } from '../domain/plan/cluster-plan.js';
import type { Action, CtAction } from '../openflow/actions/actions.js';
import type { Flow } from '../openflow/flows/flow.js';
import { arpOperations, decodeArp } from '../packet/protocols/link/arp.js';
import { decodeEthernet, encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import type { Fault } from './fault.js';

/** Faults for antrea/encap, planted into br-int of the first node. */
export const antreaFaults: readonly Fault[] = [
  {
    kind: 'switch',
    name: 'a flow dropped: the route to the peer node',
    aspect: 'frames',
    table: 70,
    flow: (flow) => flow.table === 70 && sets(flow, 'tun_dst'),
    change: () => undefined,
  },
  {
    kind: 'switch',
    name: 'an output changed: everything goes to the gateway',
    aspect: 'frames',
    table: 110,
    flow: (flow) => flow.actions.some(({ kind }) => kind === 'output-field'),
    change: (flow) => ({ ...flow, actions: [{ kind: 'output', port: 2 }] }),
  },
  {
    kind: 'switch',
    name: "a MAC rewrite wrong: the last byte of a pod's address",
    aspect: 'frames',
    table: 70,
    field: 'eth_dst',
    flow: (flow) =>
      flow.table === 70 && sets(flow, 'eth_src') && sets(flow, 'eth_dst') && !sets(flow, 'tun_dst'),
    change: (flow) => withValue(flow, 'eth_dst', (mac) => mac ^ 0xffn),
  },
  {
    kind: 'switch',
    name: 'the tunnel destination changed',
    aspect: 'frames',
    table: 70,
    field: 'tun_dst',
    flow: (flow) => flow.table === 70 && sets(flow, 'tun_dst'),
    change: (flow) => withValue(flow, 'tun_dst', (address) => address ^ 0x80n),
  },
  {
    kind: 'switch',
    name: 'the ARP responder answers with another MAC',
    aspect: 'frames',
    table: 20,
    field: 'arp_sha',
    flow: (flow) => flow.table === 20 && sets(flow, 'arp_sha'),
    change: (flow) => withValue(flow, 'arp_sha', (mac) => mac ^ 1n),
  },
  {
    kind: 'switch',
    name: 'a spoof check removed: a pod may send any IP packet',
    aspect: 'silence',
    table: 10,
    flow: (flow) => flow.table === 10 && matches(flow, 'nw_src'),
    change: (flow) => ({
      ...flow,
      priority: flow.priority + 1,
      match: flow.match.filter(({ field }) => !/^(dl|nw)_src$/.test(field.matchName)),
    }),
  },
  {
    kind: 'wire',
    name: 'a frame duplicated on the wire between nodes, past the last flow',
    aspect: 'frames',
    bridge: 'br-phys',
    table: 0,
    wire: (step) => ({
      outputs: step.outputs.flatMap((output) =>
        output.port === 'uplink' ? [output, output] : [output],
      ),
    }),
  },
  {
    kind: 'compiler',
    name: 'the compiler checks a pod against another address',
    aspect: 'intent',
    table: 10,
    flow: (flow) => flow.table === 10 && matches(flow, 'nw_src'),
    change: (flow) => ({
      ...flow,
      match: flow.match.map((part) =>
        part.field.matchName === 'nw_src' ? { ...part, value: part.value ^ 0x40n } : part,
      ),
    }),
  },
  {
    kind: 'switch',
    name: 'the conntrack zone changed',
    aspect: 'frames',
    table: 30,
    flow: (flow) => flow.table === 30,
    change: (flow) => withCt(flow, (ct) => ({ ...ct, zone: Number(ct.zone) + 1 })),
  },
  {
    kind: 'switch',
    name: 'the mark of connections from the gateway changed',
    aspect: 'counters',
    table: 105,
    field: 'ct_mark',
    flow: (flow) => flow.actions.some((action) => action.kind === 'ct' && action.exec.length > 0),
    change: (flow) =>
      withCt(flow, (ct) => ({
        ...ct,
        exec: ct.exec.map((action) =>
          action.kind === 'set' ? { ...action, value: action.value + 1n } : action,
        ),
      })),
  },
  {
    kind: 'packet',
    name: 'a counter that lies: one packet more in the table of spoofed ones',
    aspect: 'counters',
    table: 10,
    packet: () =>
      `in_port=3,packet=${hex(frameOf('0a:00:00:00:00:01', '0a:00:00:00:00:02'))},` +
      'actions=resubmit(,10)',
  },
  {
    kind: 'packet',
    name: 'a connection that nobody opened, in a zone that no flow names',
    aspect: 'connections',
    packet: () => `in_port=3,packet=${hex(datagram)},actions=ct(commit,zone=7)`,
  },
  {
    kind: 'packet',
    name: "a learned MAC moved: the first pod seems to be at the second's port",
    aspect: 'macs',
    packet: (bridge) => {
      const mac = firstPodMac(bridge);
      return `in_port=4,packet=${hex(frameOf(mac, mac))},actions=NORMAL`;
    },
  },
  {
    kind: 'delay',
    name: 'a frame delayed past the end: what the tunnel sends',
    aspect: 'frames',
    bridge: 'br-phys',
    table: 0,
    late: ({ port }) => port === 'uplink',
  },
  {
    kind: 'wire',
    name: 'a reply rewritten: an ARP answer claims another address',
    aspect: 'frames',
    table: 20,
    wire: (step) => ({
      outputs: step.outputs.map((output) =>
        isArpReply(output.frame) ? { ...output, frame: withByteFlipped(output.frame, 31) } : output,
      ),
    }),
  },
  {
    kind: 'no cache',
    name: 'a datapath whose cache answers nothing',
    aspect: 'cache',
  },
  {
    kind: 'program',
    name: 'a flow that the switch holds otherwise right after programming',
    aspect: 'program',
    table: 105,
    flow: (flow) => flow.actions.some((action) => action.kind === 'ct' && action.exec.length > 0),
    change: () => undefined,
  },
  {
    kind: 'cache',
    name: 'a cached flow too wide: it does not look at the TTL',
    aspect: 'frames',
    pass: 'sibling',
    table: 70,
    field: 'nw_ttl',
    cacheKeyOf: (frame) => frame.map((byte, index) => (timeToLive.includes(index) ? 0 : byte)),
  },
];

/** TTL and header checksum of IPv4 behind an untagged Ethernet header. */
const timeToLive: readonly number[] = [22, 24, 25];

function withCt(flow: Flow, change: (ct: CtAction) => CtAction): Flow {
  return {
    ...flow,
    actions: flow.actions.map((action): Action => (action.kind === 'ct' ? change(action) : action)),
  };
}

/** A frame of a local experimental type, so that no flow for ARP or IP takes it. */
function frameOf(src: string, dst: string): Uint8Array {
  return encodeEthernet({ src, dst, etherType: 0x88b5 }, new Uint8Array(46));
}

/** From nobody to nobody, and nobody listens. */
const datagram = encodeEthernet(
  { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 },
  encodeIpv4(
    { src: '192.0.2.1', dst: '192.0.2.2', protocol: ipProtocols.udp, ttl: 64 },
    encodeUdp({ srcPort: 49152, dstPort: 9 }, new Uint8Array(8), {
      src: '192.0.2.1',
      dst: '192.0.2.2',
    }),
  ),
);

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The address that the first endpoint port's pod must send from, as SpoofGuard has it. */
function firstPodMac(bridge: BridgePlan): string {
  const [, mac] =
    bridge.flows
      .map((flow) => /^table=10,.*,dl_src=([0-9a-f:]+),/.exec(flow))
      .find((match) => match !== null) ?? [];
  assert(mac !== undefined, `${bridge.name} checks no pod's address`);
  return mac;
}

function isArpReply(frame: Uint8Array): boolean {
  const ethernet = decodeEthernet(frame);
  return (
    ethernet?.header.etherType === etherTypes.arp &&
    decodeArp(ethernet.payload)?.op === arpOperations.reply
  );
}

/** The sender's IP address stands at bytes 28 to 31 of an ARP frame. */
function withByteFlipped(frame: Uint8Array, place: number): Uint8Array {
  return frame.map((byte, index) => (index === place ? byte ^ 0x40 : byte));
}

function sets(flow: Flow, field: string): boolean {
  return flow.actions.some((action) => action.kind === 'set' && action.field.name === field);
}

function matches(flow: Flow, field: string): boolean {
  return flow.match.some((part) => part.field.matchName === field);
}

function withValue(flow: Flow, field: string, change: (value: bigint) => bigint): Flow {
  assert(sets(flow, field), `the flow does not set ${field}`);
  return {
    ...flow,
    actions: flow.actions.map(
      (action): Action =>
        action.kind === 'set' && action.field.name === field
          ? { ...action, value: change(action.value) }
          : action,
    ),
  };
}
