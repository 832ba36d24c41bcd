import { decodeIcmp, icmpLayout } from '../protocols/ip/icmp.js';
import { ipProtocols } from '../protocols/ip/ipv4.js';
import type { ChecksumState } from '../bytes/header-layout.js';
import type { IpAddresses } from '../protocols/ip/pseudo-header.js';
import { decodeSctp, sctpLayout } from '../protocols/transport/sctp.js';
import { decodeTcp, tcpLayout } from '../protocols/transport/tcp.js';
import { decodeUdp, udpLayout } from '../protocols/transport/udp.js';
import { dissectIcmp6 } from './dissect-icmp6.js';
import { trailerOf, header, raw, type Part, type Parts } from './parts.js';

/** What IPv4 or IPv6 carries. */
export interface Datagram {
  readonly protocol: number;
  readonly addresses: IpAddresses;
  readonly fragment: 'none' | 'first' | 'later';
  readonly bytes: Uint8Array;
}

/** What it is to those who know what it carries in turn. */
export interface Carried {
  /** What a UDP port, or GRE, is known for. */
  application(port: number, bytes: Uint8Array): Iterable<Part>;
  gre(bytes: Uint8Array): Iterable<Part>;
}

/** A later fragment, a protocol that is not known and a header that is cut off are payload. */
export function* dissectTransport(
  { protocol, addresses, fragment, bytes }: Datagram,
  prefix: string,
  carried: Carried,
): Parts {
  const complete = (state: ChecksumState): ChecksumState =>
    fragment === 'none' ? state : 'unverifiable';
  switch (fragment === 'later' ? undefined : protocol) {
    case ipProtocols.icmp: {
      const icmp = decodeIcmp(bytes);
      if (icmp === undefined) break;
      yield* header(`${prefix}icmp`, icmpLayout, bytes, complete(icmp.checksum));
      return yield raw(`${prefix}payload`, icmp.payload);
    }
    case ipProtocols.icmp6:
      if (!(yield* dissectIcmp6(bytes, addresses, prefix, complete))) break;
      return;
    case ipProtocols.tcp: {
      const tcp = decodeTcp(bytes, addresses);
      if (tcp === undefined) break;
      yield* header(`${prefix}tcp`, tcpLayout, bytes, complete(tcp.checksum));
      yield raw(`${prefix}tcp.options`, tcp.header.options);
      return yield raw(`${prefix}payload`, tcp.payload);
    }
    case ipProtocols.udp: {
      const udp = decodeUdp(bytes, addresses);
      if (udp === undefined) break;
      yield* header(`${prefix}udp`, udpLayout, bytes, complete(udp.checksum));
      yield* carried.application(udp.header.dstPort, udp.payload);
      return yield raw(`${prefix}udp.padding`, trailerOf(udp.payload, bytes));
    }
    case ipProtocols.sctp: {
      const sctp = decodeSctp(bytes);
      if (sctp === undefined) break;
      yield* header(`${prefix}sctp`, sctpLayout, bytes, complete(sctp.checksum));
      return yield raw(`${prefix}payload`, sctp.payload);
    }
    case ipProtocols.gre:
      yield* carried.gre(bytes);
      return;
    default:
  }
  yield raw(`${prefix}payload`, bytes);
}
