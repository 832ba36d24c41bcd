/**
 * A whole TCP connection out of one packet of its opener: from SYN to the last ACK, with sequence
 * numbers that follow each other, so that a tracker that checks them takes every segment. What
 * answers has the addresses and ports that the SYN had where it came out, turned round.
 */
import { finishChecksum, sumWords } from '../../packet/bytes/checksum.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { extract, type Layout } from '../../packet/flow-key/extract/extract.js';
import { keyWords, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';

export type TcpEnd = 'opener' | 'answerer';

export interface TcpSegment {
  /** `SYN`, `data`, … */
  readonly name: string;
  readonly from: TcpEnd;
  readonly flags: number;
  readonly carries: 'nothing' | 'the payload';
  readonly sequence: number;
  readonly acknowledged: number;
}

const { SYN, ACK, FIN, PSH } = tcpFlags;

/** Initial sequence numbers, far enough from each other that one is never taken for the other. */
const initial = { opener: 1_000, answerer: 5_000_000 } as const;

const headerLength = 20;

const plans = [
  { name: 'SYN', from: 'opener', flags: SYN, carries: 'nothing' },
  { name: 'SYN+ACK', from: 'answerer', flags: SYN | ACK, carries: 'nothing' },
  { name: 'ACK', from: 'opener', flags: ACK, carries: 'nothing' },
  { name: 'data', from: 'opener', flags: PSH | ACK, carries: 'the payload' },
  { name: 'ACK of data', from: 'answerer', flags: ACK, carries: 'nothing' },
  { name: 'answer', from: 'answerer', flags: PSH | ACK, carries: 'the payload' },
  { name: 'FIN', from: 'opener', flags: FIN | ACK, carries: 'nothing' },
  { name: 'FIN of the answerer', from: 'answerer', flags: FIN | ACK, carries: 'nothing' },
  { name: 'last ACK', from: 'opener', flags: ACK, carries: 'nothing' },
] as const satisfies readonly Omit<TcpSegment, 'sequence' | 'acknowledged'>[];

/** What is read of a frame that carries TCP. */
interface ReadTcp extends Layout {
  readonly key: FlowKey;
  readonly sequence: number;
}

function readTcp(frame: Uint8Array): ReadTcp | undefined {
  const key = new Uint32Array(keyWords);
  const layout = extract(frame, key, 2);
  if (layout.l4 === -1 || key[word.nwProto] !== ipProtocols.tcp) return undefined;
  if (frame.length < layout.l4 + headerLength) return undefined;
  return { ...layout, key, sequence: viewOf(frame).getUint32(layout.l4 + 4) };
}

/**
 * @param frame TCP over IP from the opener, whose payload both sides send once. Undefined for any
 *   other frame.
 */
export function tcpSegments(frame: Uint8Array): readonly TcpSegment[] | undefined {
  const tcp = readTcp(frame);
  if (tcp === undefined) return undefined;
  const payload = frame.length - tcp.l4 - headerLength;
  const next: Record<TcpEnd, number> = { ...initial };
  const acknowledged = { opener: 0, answerer: 0 };
  return plans.map((plan) => {
    const { from, flags, carries } = plan;
    const other = from === 'opener' ? 'answerer' : 'opener';
    const segment = {
      ...plan,
      sequence: next[from],
      acknowledged: (flags & ACK) === 0 ? 0 : acknowledged[from],
    };
    next[from] += (carries === 'nothing' ? 0 : payload) + ((flags & (SYN | FIN)) === 0 ? 0 : 1);
    acknowledged[other] = next[from];
    return segment;
  });
}

/** @param packet of the end that sends it, with all of its payload. */
export function segmentFrame(
  packet: Uint8Array,
  { carries, sequence, acknowledged, flags }: TcpSegment,
): Uint8Array {
  const { l3, l4 } = readTcp(packet) ?? { l3: 0, l4: 0 };
  const bytes = carries === 'nothing' ? packet.slice(0, l4 + headerLength) : packet.slice();
  const view = new DataView(bytes.buffer);
  view.setUint32(l4 + 4, sequence);
  view.setUint32(l4 + 8, acknowledged);
  view.setUint16(l4 + 12, (5 << 12) | flags);
  view.setUint16(l4 + 14, 0xffff);
  fixLengths(view, bytes, l3, l4);
  return bytes;
}

/** Whether the frame is this segment, whatever its addresses have become. */
export function isSegment(frame: Uint8Array, { sequence, flags }: TcpSegment): boolean {
  const tcp = readTcp(frame);
  return (
    tcp !== undefined && tcp.sequence === sequence && ((frame[tcp.l4 + 13] ?? 0) & 0x3f) === flags
  );
}

/** Whether the frame comes from where `packet` goes, and goes to where that comes from. */
export function answers(frame: Uint8Array, packet: Uint8Array): boolean {
  const [back, there] = [readTcp(frame)?.key, readTcp(packet)?.key];
  if (back === undefined || there === undefined) return false;
  const same = (one: number, other: number, count: number) =>
    Array.from({ length: count }, (_, at) => at).every(
      (at) => back[one + at] === there[other + at],
    );
  const words = there[word.ethType] === 0x86dd ? 4 : 1;
  const [source, destination] =
    words === 4 ? [word.ipv6Src, word.ipv6Dst] : [word.nwSrc, word.nwDst];
  return (
    same(source, destination, words) &&
    same(destination, source, words) &&
    same(word.tpSrc, word.tpDst, 1) &&
    same(word.tpDst, word.tpSrc, 1)
  );
}

/**
 * The answerer's packet: the headers of the SYN as it has come out there, turned round, with the
 * payload and the TTL of what the opener sends.
 */
export function answererPacket(arrived: Uint8Array, sent: Uint8Array): Uint8Array {
  const { l3, l4 } = readTcp(arrived) ?? { l3: 0, l4: 0 };
  const of = readTcp(sent) ?? { l3: 0, l4: 0 };
  const bytes = Uint8Array.from([
    ...arrived.subarray(0, l4 + headerLength),
    ...sent.subarray(of.l4 + headerLength),
  ]);
  const swap = (at: number, length: number) => {
    const first = bytes.slice(at, at + length);
    bytes.copyWithin(at, at + length, at + 2 * length);
    bytes.set(first, at + length);
  };
  const isIpv4 = (bytes[l3] ?? 0) >>> 4 === 4;
  swap(0, 6);
  swap(isIpv4 ? l3 + 12 : l3 + 8, isIpv4 ? 4 : 16);
  swap(l4, 2);
  const ttlAt = isIpv4 ? 8 : 7;
  bytes[l3 + ttlAt] = sent[of.l3 + ttlAt] ?? 0;
  return bytes;
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
