/**
 * A host as a router: packets that are for others, on their way through (RFC 1812), and what their
 * senders get an ICMP error where it ends here.
 */
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import { updateChecksum } from '../../packet/bytes/checksum.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { ipProtocols, type Ipv4Header } from '../../packet/protocols/ip/ipv4.js';
import { interfaceWith, type Effect, type Host } from './host.js';
import { dropped, momentOf, noEndpoint, noPortLeft, sendIp } from './send-ip.js';
import { sendToNeighbour } from './neighbours.js';
import { nextHop } from './next-hop.js';
import { postrouting, prerouting, type NatState } from '../nat/nat-state.js';
import { opensConnection, tupleOf, withTuple } from '../nat/connection-tuple.js';

export type Routed =
  /** It is for the host: as its applications see it. */
  | { readonly kind: 'local'; readonly packet: Uint8Array }
  /** It is for another host, or none: all that it leads to. */
  | { readonly kind: 'elsewhere'; readonly effects: readonly Effect[] };

/** A whole packet with a right header arrived at `via` of a host that forwards. */
export function forwardPacket(
  host: Host,
  via: InterfacePlan,
  translations: NatState,
  packet: Uint8Array,
  header: Ipv4Header,
): Routed {
  const tuple = tupleOf(packet);
  const asked = tuple === undefined ? undefined : prerouting(translations, tuple, momentOf(host));
  if (asked?.kind === 'refused')
    return elsewhere(sendIcmpError(host, packet, header, unreachable.port, noEndpoint));
  if (asked?.kind === 'lost') return elsewhere(dropped(noEndpoint, header));
  const inbound = asked?.kind === 'new' && !opensConnection(packet) ? undefined : asked;
  const leaving = (outgoing: string | undefined) => {
    const translated =
      inbound === undefined
        ? undefined
        : postrouting(translations, inbound, outgoing, momentOf(host));
    return inbound === undefined
      ? packet
      : translated === undefined
        ? undefined
        : withTuple(packet, translated);
  };
  const destination = inbound?.tuple.dst.ip ?? header.dst;
  if (interfaceWith(host, destination) !== undefined)
    return { kind: 'local', packet: leaving(undefined) ?? packet };
  if (inbound?.kind !== 'known' && !(host.plan.forwardsFrom?.includes(via.name) ?? true))
    return elsewhere(dropped(`${via.name} does not forward`, header));
  if (header.ttl <= 1)
    return elsewhere(sendIcmpError(host, packet, header, timeExceeded, 'its time to live is over'));
  const hop = nextHop(host.plan, destination);
  if (hop === undefined)
    return elsewhere(
      sendIcmpError(host, packet, header, unreachable.network, `no route to ${destination}`),
    );
  const translated = leaving(hop.via.ip);
  return elsewhere(
    translated === undefined
      ? dropped(noPortLeft, header)
      : sendToNeighbour(host, hop.via, hop.ip, withLessTtl(translated)),
  );
}

function elsewhere(effects: readonly Effect[]): Routed {
  return { kind: 'elsewhere', effects };
}

interface IcmpErrorCode {
  readonly type: number;
  readonly code: number;
}

/** RFC 792. */
const unreachable = {
  network: { type: icmpTypes.destinationUnreachable, code: 0 },
  port: { type: icmpTypes.destinationUnreachable, code: 3 },
} as const;
const timeExceeded: IcmpErrorCode = { type: icmpTypes.timeExceeded, code: 0 };

/**
 * RFC 1812, section 4.3.2: precedence of internetwork control; as much of the packet as fits into
 * 576 bytes; nothing about errors.
 */
function sendIcmpError(
  host: Host,
  packet: Uint8Array,
  header: Ipv4Header,
  error: IcmpErrorCode,
  why: string,
): readonly Effect[] {
  const note = dropped(why, header);
  if (header.protocol === ipProtocols.icmp && tupleOf(packet) === undefined) return note;
  const quoted = packet.subarray(0, 576 - 20 - 8);
  return [
    ...note,
    ...sendIp(host, {
      dst: header.src,
      protocol: ipProtocols.icmp,
      tos: 0xc0,
      encode: () => encodeIcmp({ ...error, identifier: 0, sequence: 0 }, quoted),
    }),
  ];
}

function withLessTtl(packet: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(packet);
  const view = viewOf(bytes);
  const [before, checksum] = [view.getUint16(8), view.getUint16(10)];
  view.setUint16(8, before - 0x100);
  view.setUint16(10, updateChecksum(checksum, before, before - 0x100));
  return bytes;
}
