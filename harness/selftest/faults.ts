/**
 * Faults that a run must catch: in the flows of a running switch, on its wire, and in the compiler
 * of flows.
 */
import type { Fault } from './fault.js';
import {
  datagram,
  firstPodMac,
  frameOf,
  hex,
  isArpReply,
  matches,
  sets,
  timeToLive,
  withByteFlipped,
  withCt,
  withValue,
} from './fault-changes.js';

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
    name: 'a cached flow too wide: it does not match the TTL',
    aspect: 'frames',
    pass: 'sibling',
    table: 70,
    field: 'nw_ttl',
    cacheKeyOf: (frame) => frame.map((byte, index) => (timeToLive.includes(index) ? 0 : byte)),
  },
];
