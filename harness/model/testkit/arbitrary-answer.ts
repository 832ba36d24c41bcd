/**
 * For tests: answers to frames that came out of a switch, so that translated connections go both
 * ways.
 */
import type { Random } from '../../base/random.js';
import { updateChecksum } from '../../packet/bytes/checksum.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import { keyWords, word } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { sctpChecksum } from '../../packet/protocols/transport/sctp.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { pick } from './arbitrary-frame.js';

const { SYN, ACK, FIN, RST } = tcpFlags;
const icmpAnswers: ReadonlyMap<number, number> = new Map([
  [8, 0],
  [13, 14],
  [15, 16],
]);
const icmp6Answers: ReadonlyMap<number, number> = new Map([[128, 129]]);

/**
 * The frame with addresses and ports the other way round, flags of TCP drawn again, and requests of
 * ICMP answered. Undefined where it is not IP.
 */
export function answerTo(random: Random, frame: Uint8Array): Uint8Array | undefined {
  const bytes = frame.slice();
  const key = new Uint32Array(keyWords);
  const { l3, l4 } = extract(bytes, key);
  if (l4 < 0) return undefined;
  const view = new DataView(bytes.buffer);
  const isIpv4 = key[word.ethType] === etherTypes.ipv4;
  if (isIpv4) swap(bytes, l3 + 12, l3 + 16, 4);
  else swap(bytes, l3 + 8, l3 + 24, 16);
  const replace = (at: number, value: number, checksum: number) => {
    view.setUint16(checksum, updateChecksum(view.getUint16(checksum), view.getUint16(at), value));
    view.setUint16(at, value);
  };
  const end = isIpv4 ? l3 + view.getUint16(l3 + 2) : l3 + 40 + view.getUint16(l3 + 4);
  switch (key[word.nwProto]) {
    case ipProtocols.tcp:
      if (end < l4 + 20) return undefined;
      swap(bytes, l4, l4 + 2, 2);
      replace(
        l4 + 12,
        (view.getUint16(l4 + 12) & 0xffc0) |
          pick(random, [SYN | ACK, SYN | ACK, ACK, ACK, FIN | ACK, RST]),
        l4 + 16,
      );
      return bytes;
    case ipProtocols.udp:
      if (end >= l4 + 4) swap(bytes, l4, l4 + 2, 2);
      return bytes;
    case ipProtocols.sctp:
      if (end < l4 + 12) return undefined;
      swap(bytes, l4, l4 + 2, 2);
      view.setUint32(l4 + 8, sctpChecksum(bytes.subarray(l4, end)));
      return bytes;
    case ipProtocols.icmp:
    case ipProtocols.icmp6: {
      const type = (isIpv4 ? icmpAnswers : icmp6Answers).get(bytes[l4] ?? 0);
      if (type !== undefined && end >= l4 + 8)
        replace(l4, (type << 8) | view.getUint8(l4 + 1), l4 + 2);
      return bytes;
    }
    default:
      return bytes;
  }
}

function swap(bytes: Uint8Array, one: number, other: number, length: number): void {
  const first = bytes.slice(one, one + length);
  bytes.copyWithin(one, other, other + length);
  bytes.set(first, other);
}
