/**
 * Translations of errors of ICMP: the address of the packet, and what it quotes, the other way
 * round (Open vSwitch lib/conntrack.c, nat_packet, nat_inner_packet).
 */
import { Unpredictable } from '../../base/errors/errors.js';
import type { ByteView } from '../../packet/bytes/byte-view.js';
import { finishChecksum, internetChecksum, sumWords } from '../../packet/bytes/checksum.js';
import type { Layout } from '../../packet/flow-key/extract/extract.js';
import { readExtensions } from '../../packet/flow-key/extract/extract-ipv6.js';
import { keyWords } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { ipv6Length } from '../../packet/protocols/ip/ipv6.js';
import { replace16 } from '../../packet/flow-key/rewrite/replace-bytes.js';
import { neverZero, rewriteIdentifier } from '../../packet/flow-key/rewrite/rewrite-transport.js';
import { sctpChecksum } from '../../packet/protocols/transport/sctp.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import type { Behaviour } from '../behaviour.js';
import { hasPorts } from './nat.js';
import type { NatMapping } from '../conntrack/tracked.js';
import { reversed, type Tuple } from '../conntrack/tuple.js';

/** Bytes of an error in front of what it quotes. */
const errorLength = 8;

/** Where an IP packet stands in a frame, and where what it carries begins and ends. */
interface IpSpan {
  readonly l3: number;
  readonly l4: number;
  readonly end: number;
}

/** Changes the bytes of the error in place. */
export function applyNatToError(
  frame: Uint8Array,
  { l3, l4 }: Layout,
  { part, tuple }: NatMapping,
  behaviour: Behaviour,
): void {
  const view = viewOf(frame);
  const isIpv4 = tuple.family === 'ipv4';
  const end = isIpv4 ? l3 + view.getUint16(l3 + 2) : l3 + ipv6Length + view.getUint16(l3 + 4);
  const outer = { l3, l4, end };
  // Over IPv6 the checksum of the quoted packet's protocol is looked for in the error itself
  // (packet_set_ipv6_addr).
  writeAddress(
    view,
    outer,
    part,
    tuple,
    isIpv4 ? [l3 + 10] : checksumsOf(view, outer, tuple.protocol),
  );
  const at = l4 + errorLength;
  const quoted = {
    l3: at,
    l4: isIpv4
      ? at + (view.getUint8(at) & 15) * 4
      : readExtensions(
          view,
          at + ipv6Length,
          end,
          view.getUint8(at + 6),
          new Uint32Array(keyWords),
        ),
    end,
  };
  const answered = reversed(tuple);
  if (hasPorts(tuple, behaviour)) writePorts(view, quoted, answered);
  writeAddress(view, quoted, part === 'src' ? 'dst' : 'src', answered, [
    ...(isIpv4 ? [at + 10] : []),
    ...checksumsOf(view, quoted, tuple.protocol),
  ]);
  view.setUint16(l4 + 2, 0);
  const message = frame.subarray(l4, end);
  view.setUint16(
    l4 + 2,
    isIpv4
      ? internetChecksum(message)
      : finishChecksum(
          sumWords(
            message,
            sumWords(frame.subarray(l3 + 8, l3 + ipv6Length), ipProtocols.icmp6 + message.length),
          ),
        ),
  );
}

function writeAddress(
  view: ByteView,
  { l3 }: IpSpan,
  part: 'src' | 'dst',
  tuple: Tuple,
  checksums: readonly number[],
): void {
  const { address } = tuple[part];
  const at = l3 + (address.length === 1 ? (part === 'src' ? 12 : 16) : part === 'src' ? 8 : 24);
  const halves = address.flatMap((part32) => [part32 >>> 16, part32 & 0xffff]);
  for (const [index, half] of halves.entries()) replace16(view, at + 2 * index, half, checksums);
  neverZero(
    view,
    tuple.protocol,
    tuple.protocol === ipProtocols.udp
      ? checksums.slice(-1).filter((place) => place !== l3 + 10)
      : [],
  );
}

/** Where a checksum that covers addresses stands, as far as it is there. */
function checksumsOf(view: ByteView, { l4, end }: IpSpan, protocol: number): readonly number[] {
  switch (protocol) {
    case ipProtocols.tcp:
      return end - l4 >= 20 ? [l4 + 16] : [];
    case ipProtocols.udp:
      return end - l4 >= 8 && view.getUint16(l4 + 6) !== 0 ? [l4 + 6] : [];
    case ipProtocols.icmp6:
      return end - l4 >= 4 ? [l4 + 2] : [];
    default:
      return [];
  }
}

/**
 * Ports stand in what is quoted of every header. @throws Unpredictable where they change and the
 * checksum is cut off: Open vSwitch brings up to date what stands in its place (lib/packets.c,
 * packet_set_tcp_port, packet_set_sctp_port).
 */
function writePorts(view: ByteView, place: IpSpan, { protocol, src, dst }: Tuple): void {
  const { l4, end } = place;
  if (protocol === ipProtocols.icmp || protocol === ipProtocols.icmp6)
    return rewriteIdentifier(view, l4, dst.port);
  if (view.getUint16(l4) === src.port && view.getUint16(l4 + 2) === dst.port) return;
  if (end - l4 < (wholeHeaders.get(protocol) ?? 0))
    throw new Unpredictable(
      'Open vSwitch may end itself at an error of ICMP that quotes less than a whole header ' +
        'of TCP or SCTP whose ports are translated: it writes a checksum behind the end of the ' +
        'packet',
    );
  if (protocol === ipProtocols.sctp) {
    const packet = view.bytes.subarray(l4, end);
    const was = sctpChecksum(packet);
    replace16(view, l4, src.port, []);
    replace16(view, l4 + 2, dst.port, []);
    view.setUint32(l4 + 8, (view.getUint32(l4 + 8) ^ was ^ sctpChecksum(packet)) >>> 0);
    return;
  }
  const checksums = checksumsOf(view, place, protocol);
  replace16(view, l4, src.port, checksums);
  replace16(view, l4 + 2, dst.port, checksums);
  neverZero(view, protocol, checksums);
}

/** With their checksums. */
const wholeHeaders: ReadonlyMap<number, number> = new Map([
  [ipProtocols.tcp, 20],
  [ipProtocols.sctp, 12],
]);
