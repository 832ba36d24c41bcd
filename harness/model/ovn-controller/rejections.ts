/**
 * icmp4, icmp6, icmp4_error, icmp6_error, tcp_reset and reject (ovn-sb(5), Logical_Flow,
 * "actions"): an error or a reset about a packet, which the actions that are nested write more into
 * (OVN controller/pinctrl.c, pinctrl_handle_icmp, pinctrl_handle_tcp_reset, pinctrl_handle_reject).
 */
import { Unsupported } from '../../base/errors/errors.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { encodeIcmp6, icmp6Types } from '../../packet/protocols/ip/icmp6.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { ipv6Length } from '../../packet/protocols/ip/ipv6.js';
import { decodeTcp, encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import type { Packet } from '../packet/packet.js';
import { endsOf, ipPacket, isIpv4, isIpv6, turned, type Ends } from './made-packet.js';

type Received = Pick<Packet, 'frame' | 'layout' | 'key'>;

/** Bytes of an IP packet that an error about it has at most, in both versions of ICMP. */
const quoted = { icmp: 576 - 14 - 20 - 8, icmp6: 1280 - 14 - 40 - 8 } as const;

const codes = { hostUnreachable: 1, portUnreachable: 3, portUnreachable6: 4 } as const;

/**
 * Undefined where it is no IP, which it has nothing to say about.
 * @param ends of the error. @param code whether UDP gets one of its own.
 */
export function icmpError(
  { frame, layout: { l3 }, key }: Received,
  code: 'by protocol' | 'the same for all',
  ends: Ends = endsOf(key),
): Uint8Array | undefined {
  const isUdp = code === 'by protocol' && key[word.nwProto] === ipProtocols.udp;
  if (isIpv4(key)) {
    const length = Math.min(viewOf(frame).getUint16(l3 + 2), quoted.icmp);
    const header = { type: icmpTypes.destinationUnreachable, identifier: 0, sequence: 0 };
    const icmp = encodeIcmp(
      { ...header, code: isUdp ? codes.portUnreachable : codes.hostUnreachable },
      frame.subarray(l3, l3 + length),
    );
    return ipPacket(ends, ipProtocols.icmp, 255, icmp);
  }
  if (!isIpv6(key)) return undefined;
  const length = Math.min(ipv6Length + viewOf(frame).getUint16(l3 + 4), quoted.icmp6);
  const header = { type: icmp6Types.destinationUnreachable, rest: 0 };
  const icmp = encodeIcmp6(
    { ...header, code: isUdp ? codes.portUnreachable6 : codes.hostUnreachable },
    frame.subarray(l3, l3 + length),
    ends.addresses,
  );
  return ipPacket(ends, ipProtocols.icmp6, 255, icmp);
}

/** Undefined where it is no TCP. */
export function tcpReset(
  packet: Received,
  ends: Ends = endsOf(packet.key),
): Uint8Array | undefined {
  const segment = tcpIn(packet);
  if (segment === undefined) return undefined;
  const { srcPort, dstPort, sequence } = segment;
  const tcp = encodeTcp(
    {
      srcPort: dstPort,
      dstPort: srcPort,
      sequence: 0,
      acknowledgement: (sequence + 1) >>> 0,
      flags: tcpFlags.RST | tcpFlags.ACK,
      window: 0,
      urgentPointer: 0,
      options: new Uint8Array(),
    },
    new Uint8Array(),
    ends.addresses,
  );
  return ipPacket(ends, ipProtocols.tcp, 63, tcp);
}

/** From the one that it was for, and never about what is itself a rejection. */
export function rejection(packet: Received): Uint8Array | undefined {
  const { key } = packet;
  const back = turned(endsOf(key));
  switch (key[word.nwProto]) {
    case ipProtocols.tcp: {
      const segment = tcpIn(packet);
      return segment === undefined || (segment.flags & tcpFlags.RST) !== 0
        ? undefined
        : tcpReset(packet, back);
    }
    case ipProtocols.sctp:
      throw new Unsupported('what ovn-controller rejects SCTP with is not modelled');
    case isIpv6(key) ? ipProtocols.icmp6 : ipProtocols.icmp: {
      const { destinationUnreachable } = isIpv6(key) ? icmp6Types : icmpTypes;
      return key[word.tpSrc] === destinationUnreachable
        ? undefined
        : icmpError(packet, 'by protocol', back);
    }
    default:
      return icmpError(packet, 'by protocol', back);
  }
}

function tcpIn({ frame, layout: { l4 }, key }: Received) {
  if (key[word.nwProto] !== ipProtocols.tcp) return undefined;
  return decodeTcp(frame.subarray(l4), endsOf(key).addresses)?.header;
}
