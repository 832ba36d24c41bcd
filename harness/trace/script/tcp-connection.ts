/**
 * A whole TCP connection out of one packet of its opener: from SYN to the last ACK, with sequence
 * numbers that follow each other, so that a tracker that checks them takes every segment.
 */
import { finishChecksum, sumWords } from '../../packet/bytes/checksum.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import { keyWords, word } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';

export interface TcpSegment {
  /** `SYN`, `data`, … */
  readonly name: string;
  readonly from: 'opener' | 'answerer';
  readonly frame: Uint8Array;
}

const { SYN, ACK, FIN, PSH } = tcpFlags;

/** Initial sequence numbers, far enough from each other that one is never taken for the other. */
const initial = { opener: 1_000, answerer: 5_000_000 } as const;

const headerLength = 20;

interface SegmentPlan {
  readonly name: string;
  readonly from: 'opener' | 'answerer';
  readonly flags: number;
  readonly carries: 'nothing' | 'the payload';
}

const plans: readonly SegmentPlan[] = [
  { name: 'SYN', from: 'opener', flags: SYN, carries: 'nothing' },
  { name: 'SYN+ACK', from: 'answerer', flags: SYN | ACK, carries: 'nothing' },
  { name: 'ACK', from: 'opener', flags: ACK, carries: 'nothing' },
  { name: 'data', from: 'opener', flags: PSH | ACK, carries: 'the payload' },
  { name: 'ACK of data', from: 'answerer', flags: ACK, carries: 'nothing' },
  { name: 'answer', from: 'answerer', flags: PSH | ACK, carries: 'the payload' },
  { name: 'FIN', from: 'opener', flags: FIN | ACK, carries: 'nothing' },
  { name: 'FIN of the answerer', from: 'answerer', flags: FIN | ACK, carries: 'nothing' },
  { name: 'last ACK', from: 'opener', flags: ACK, carries: 'nothing' },
];

/**
 * @param frame TCP over IP from the opener, whose payload both sides send once. What answers has
 *   its addresses and ports turned round. Undefined for any other frame.
 */
export function tcpConnection(frame: Uint8Array): readonly TcpSegment[] | undefined {
  const key = new Uint32Array(keyWords);
  const { l3, l4 } = extract(frame, key, 2);
  if (l4 === -1 || key[word.nwProto] !== ipProtocols.tcp) return undefined;
  const next: Record<TcpSegment['from'], number> = { ...initial };
  const acknowledged = { opener: 0, answerer: 0 };
  return plans.map(({ name, from, flags, carries }) => {
    const other = from === 'opener' ? 'answerer' : 'opener';
    const bytes = carries === 'nothing' ? frame.slice(0, l4 + headerLength) : frame.slice();
    if (from === 'answerer') turnRound(bytes, l3, l4);
    const view = new DataView(bytes.buffer);
    view.setUint32(l4 + 4, next[from]);
    view.setUint32(l4 + 8, (flags & ACK) === 0 ? 0 : acknowledged[from]);
    view.setUint16(l4 + 12, (5 << 12) | flags);
    view.setUint16(l4 + 14, 0xffff);
    fixLengths(view, bytes, l3, l4);
    const length = bytes.length - l4 - headerLength;
    next[from] += length + ((flags & (SYN | FIN)) === 0 ? 0 : 1);
    acknowledged[other] = next[from];
    return { name, from, frame: bytes };
  });
}

function turnRound(bytes: Uint8Array, l3: number, l4: number): void {
  const swap = (at: number, length: number) => {
    const first = bytes.slice(at, at + length);
    bytes.copyWithin(at, at + length, at + 2 * length);
    bytes.set(first, at + length);
  };
  const isIpv4 = (bytes[l3] ?? 0) >>> 4 === 4;
  swap(0, 6);
  swap(isIpv4 ? l3 + 12 : l3 + 8, isIpv4 ? 4 : 16);
  swap(l4, 2);
}

/** Lengths and checksums of IP and TCP, by the bytes that are there. */
function fixLengths(view: DataView, bytes: Uint8Array, l3: number, l4: number): void {
  const isIpv4 = (bytes[l3] ?? 0) >>> 4 === 4;
  if (isIpv4) {
    view.setUint16(l3 + 2, bytes.length - l3);
    view.setUint16(l3 + 10, 0);
    view.setUint16(l3 + 10, finishChecksum(sumWords(bytes, 0, l3, l4)));
  } else view.setUint16(l3 + 4, bytes.length - l3 - 40);
  const [first, end] = isIpv4 ? [12, 20] : [8, 40];
  const pseudoHeader = sumWords(bytes, ipProtocols.tcp + bytes.length - l4, l3 + first, l3 + end);
  view.setUint16(l4 + 16, 0);
  view.setUint16(l4 + 16, finishChecksum(sumWords(bytes, pseudoHeader, l4)));
}
