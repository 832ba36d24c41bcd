import { internetChecksum } from '../bytes/checksum.js';
import { fragment, word, type FlowKey } from '../flow-key/flow-key.js';
import { concatBytes, viewOf } from '../bytes/header-layout.js';
import { icmpTypes } from '../protocols/ip/icmp.js';
import { icmp6Types } from '../protocols/ip/icmp6.js';
import { ipProtocols } from '../protocols/ip/ipv4.js';
import { neighbourTypes, optionTypes } from '../protocols/ip/neighbour.js';
import { tcpFlags } from '../protocols/transport/tcp.js';
import { put32, putMac } from './put-bytes.js';

const { SYN, FIN, RST } = tcpFlags;
const none = new Uint8Array();

/**
 * What an IP packet of the key carries; nothing in a later fragment, and where the protocol is not
 * known. IPv4 and IPv6 are not distinguished.
 * @param addresses the sum of the words of both.
 */
export function composeTransport(key: FlowKey, payload: Uint8Array, addresses: number): Uint8Array {
  if (((key[word.nwFrag] ?? 0) & fragment.later) !== 0) return none;
  const protocol = key[word.nwProto] ?? 0;
  const pseudoHeader = (bytes: Uint8Array) => addresses + protocol + bytes.length;
  switch (protocol) {
    case ipProtocols.tcp: {
      const bytes = withPorts(
        key,
        20,
        ((key[word.tcpFlags] ?? 0) & (SYN | FIN | RST)) === 0 ? payload : none,
      );
      viewOf(bytes).setUint16(12, (5 << 12) | (key[word.tcpFlags] ?? 0));
      return checked(bytes, 16, pseudoHeader(bytes));
    }
    case ipProtocols.udp: {
      const bytes = withPorts(key, 8, payload);
      viewOf(bytes).setUint16(4, bytes.length);
      checked(bytes, 6, pseudoHeader(bytes));
      if (viewOf(bytes).getUint16(6) === 0) viewOf(bytes).setUint16(6, 0xffff);
      return bytes;
    }
    case ipProtocols.sctp:
      return withPorts(key, 12, none); // without a checksum
    case ipProtocols.icmp:
      return checked(
        withType(key, isOneOf(key, [icmpTypes.echoRequest, icmpTypes.echoReply]) ? payload : none),
        2,
        0,
      );
    case ipProtocols.igmp:
      return checked(withType(key, none), 2, 0);
    case ipProtocols.icmp6: {
      const bytes = composeIcmp6(key, payload);
      return checked(bytes, 2, pseudoHeader(bytes));
    }
    default:
      return none;
  }
}

function composeIcmp6(key: FlowKey, payload: Uint8Array): Uint8Array {
  const isNeighbour = isOneOf(key, [neighbourTypes.solicitation, neighbourTypes.advertisement]);
  const bytes = withType(
    key,
    isNeighbour
      ? targetAndOptions(key)
      : isOneOf(key, [icmp6Types.echoRequest, icmp6Types.echoReply])
        ? payload
        : none,
  );
  put32(viewOf(bytes), 4, key, word.ndReserved, 1);
  return bytes;
}

/** Addresses of zeros are left out. */
function targetAndOptions(key: FlowKey): Uint8Array {
  const target = new Uint8Array(16);
  put32(viewOf(target), 0, key, word.ndTarget, 4);
  const options = (
    [
      [optionTypes.source, word.arpSha],
      [optionTypes.target, word.arpTha],
    ] as const
  ).filter(([, field]) => key[field] !== 0 || key[field + 1] !== 0);
  return concatBytes(
    target,
    ...options.map(([type, field]) => {
      const option = Uint8Array.of(type, 1, 0, 0, 0, 0, 0, 0);
      putMac(viewOf(option), 2, key, field);
      return option;
    }),
  );
}

/** Whether type and code are those of one of these messages. */
function isOneOf(key: FlowKey, types: readonly number[]): boolean {
  return key[word.tpDst] === 0 && types.includes(key[word.tpSrc] ?? 0);
}

function withPorts(key: FlowKey, headerLength: number, payload: Uint8Array): Uint8Array {
  const header = new Uint8Array(headerLength);
  viewOf(header).setUint16(0, key[word.tpSrc] ?? 0);
  viewOf(header).setUint16(2, key[word.tpDst] ?? 0);
  return concatBytes(header, payload);
}

function withType(key: FlowKey, payload: Uint8Array): Uint8Array {
  return concatBytes(
    Uint8Array.of(key[word.tpSrc] ?? 0, key[word.tpDst] ?? 0, 0, 0, 0, 0, 0, 0),
    payload,
  );
}

/** With its checksum at `place`, over a sum and itself. */
function checked(bytes: Uint8Array, place: number, sum: number): Uint8Array {
  viewOf(bytes).setUint16(place, internetChecksum(bytes, sum));
  return bytes;
}
