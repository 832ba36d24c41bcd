/** What of a request the switch's own ofproto/trace is given. */
import type { DumpedSwitch } from '../dumps/dumped-switch.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { isDatapathFlow } from './datapath-flow.js';
import { printMatch } from '../openflow/match/print-match.js';
import type { PacketStimulus } from './packet-stimulus.js';

/** @param flow and packet in the words of the request. @returns `[BRIDGE] FLOW [PACKET]`. */
export function askedWords(
  { flow, packet }: { readonly flow: string; readonly packet: string | undefined },
  stimulus: PacketStimulus,
  { plan }: DumpedSwitch,
): readonly string[] {
  // The testbed's switch has no tunnels: what comes out of one has OpenFlow's words there.
  if (isDatapathFlow(flow))
    return /\btunnel\s*\(/.test(flow)
      ? [
          stimulus.bridge,
          [`in_port=${stimulus.ofport}`, printMatch(stimulus.metadata)].join(','),
          Buffer.from(stimulus.frame).toString('hex'),
        ]
      : [ofTestbed(flow, portOf(plan, stimulus))];
  const whole = [
    inOfprotosWords(flow),
    ...(stimulus.completion === undefined ? [] : [stimulus.completion.text]),
  ];
  return [
    stimulus.bridge,
    whole.join(','),
    ...(packet === undefined ? [] : [packet.replace(/\s/g, '')]),
  ];
}

function portOf({ bridges }: DumpedSwitch['plan'], { bridge, ofport }: PacketStimulus): string {
  const ports = bridges.find(({ name }) => name === bridge)?.ports ?? [];
  const port = ports.find((one) => one.ofport === ofport);
  return ofport === reservedPorts.LOCAL ? bridge : (port?.name ?? String(ofport));
}

/**
 * Without what dpctl prints behind a flow, and at the testbed's port: its datapath has numbers of
 * its own.
 */
function ofTestbed(flow: string, port: string): string {
  return flow
    .replace(/,?\s*packets:.*$/, '')
    .replace(/,?\s*actions:.*$/, '')
    .replace(/\brecirc_id\(0\),?/, '')
    .replace(/\bin_port\([^)]*\)/, `in_port(${port})`)
    .trim();
}

/** What decides which fields a packet has comes first, and protocols have names of their own. */
const ranks: readonly RegExp[] = [
  /^[a-z0-9]+$|^(dl_type|eth_type)=/,
  /^(nw_proto|ip_proto|nw_frag|ip_frag|ct_state)=/,
  /^icmp/,
];
const ownNames: readonly (readonly [protocol: RegExp, generic: RegExp, own: string])[] = [
  [/(^|,)(udp6?|(nw|ip)_proto=17)(,|$)/, /^tp_(?=src|dst)/, 'udp_'],
  [/(^|,)(sctp6?|(nw|ip)_proto=132)(,|$)/, /^tp_(?=src|dst)/, 'sctp_'],
  [/(^|,)(icmp6|(nw|ip)_proto=58)(,|$)/, /^icmp_(?=type|code)/, 'icmpv6_'],
];

/**
 * The same flow as ofproto/trace takes it: unlike ovs-ofctl it reads from the left, and knows ports
 * and types by the names of their protocol (lib/ofp-match.c, parse_ofp_exact_flow).
 */
function inOfprotosWords(flow: string): string {
  if (/"[^"]*[,\s][^"]*"|\(/.test(flow)) return flow;
  const pieces = flow.split(/[,\s]+/).filter((piece) => piece !== '');
  const names = ownNames.filter(([protocol]) => protocol.test(pieces.join(',')));
  const rankOf = (piece: string) => {
    const rank = ranks.findIndex((pattern) => pattern.test(piece));
    return rank < 0 ? ranks.length : rank;
  };
  return pieces
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((piece) => names.reduce((text, [, generic, own]) => text.replace(generic, own), piece))
    .join(',');
}
