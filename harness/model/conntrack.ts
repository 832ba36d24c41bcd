/**
 * The connection tracker of the userspace datapath: UDP, ICMP echo and protocols without ports. TCP, fragments, NAT
 * and ICMP errors are refused by name until the model knows them. Times are virtual milliseconds.
 */
import { Unsupported } from '../base/errors.js';
import { finishChecksum, internetChecksum, sumWords } from '../packet/checksum.js';
import { etherTypes } from '../packet/ethernet.js';
import { word, type FlowKey, type Layout } from '../packet/flow-key.js';
import { ipProtocols } from '../packet/ipv4.js';
import { ctStateBits } from '../openflow/fields.js';

export interface Connection {
  readonly zone: number;
  readonly original: string;
  mark: number;
  /** Whether an answer was seen. */
  replied: boolean;
  expiresAtMs: number;
}

/** Connections by direction: the keys are tuples of (zone, protocol, source, destination). */
export type ConnectionTable = Map<string, Connection>;

/** What the tracker says of a packet: bits of ct_state, and its connection where one exists. */
export interface Tracked {
  readonly state: number;
  readonly connection?: Connection;
}

/** Default timeouts of the userspace datapath by protocol, in ms: before an answer, and after one. */
const timeouts = { icmp: { first: 60_000, replied: 30_000 }, other: { first: 60_000, replied: 30_000 } } as const;

/** Requests that open a connection, with the type of their answer (RFC 792: echo, timestamp, information). */
const icmpRequests: ReadonlyMap<number, number> = new Map([[8, 0], [13, 14], [15, 16]]);
const icmpReplies: ReadonlyMap<number, number> = new Map([...icmpRequests].map(([request, reply]) => [reply, request]));

/**
 * Looks a packet up in `zone`; with `commit`, a new connection is remembered.
 * @param frame the packet's bytes as they are now, `key` and `layout` what was extracted from them.
 */
export function track(table: ConnectionTable, frame: Uint8Array, layout: Layout, key: FlowKey, zone: number, nowMs: number, commit: boolean): Tracked {
  const invalid: Tracked = { state: ctStateBits.trk | ctStateBits.inv };
  if (key[word.ethType] === etherTypes.ipv6) throw new Unsupported('the model does not track IPv6 connections');
  if (key[word.ethType] !== etherTypes.ipv4 || layout.l4 < 0) return invalid;
  if (key[word.nwFrag] !== 0) throw new Unsupported('the model does not reassemble fragments (ct on a fragment)');
  if (!checksumsHold(frame, layout, key)) return invalid;
  const tuples = tuplesOf(frame, layout, key, zone);
  if (tuples === undefined) return invalid;

  const connection = table.get(tuples.forward);
  if (connection !== undefined && connection.expiresAtMs > nowMs) {
    const reply = connection.original !== tuples.forward;
    connection.replied ||= reply;
    connection.expiresAtMs = nowMs + timeoutOf(key, connection.replied);
    // Packets go on being new until there is an answer.
    return { state: ctStateBits.trk | (connection.replied ? ctStateBits.est : ctStateBits.new) | (reply ? ctStateBits.rpl : 0), connection };
  }
  if (!tuples.opens) return invalid;
  const state = ctStateBits.trk | ctStateBits.new;
  if (!commit) return { state };
  const created: Connection = { zone, original: tuples.forward, mark: 0, replied: false, expiresAtMs: nowMs + timeoutOf(key, false) };
  table.set(tuples.forward, created);
  table.set(tuples.backward, created);
  return { state, connection: created };
}

function timeoutOf(key: FlowKey, replied: boolean): number {
  const of = key[word.nwProto] === ipProtocols.icmp ? timeouts.icmp : timeouts.other;
  return replied ? of.replied : of.first;
}

interface Tuples {
  readonly forward: string;
  readonly backward: string;
  /** Whether such a packet may begin a connection. */
  readonly opens: boolean;
}

function tuplesOf(frame: Uint8Array, { l4 }: Layout, key: FlowKey, zone: number): Tuples | undefined {
  const proto = key[word.nwProto] ?? 0;
  const [src, dst] = [key[word.nwSrc] ?? 0, key[word.nwDst] ?? 0];
  const between = (from: string, to: string) => `${zone} ${proto} ${from} ${to}`;
  if (proto === ipProtocols.tcp || proto === ipProtocols.sctp) throw new Unsupported(`the model does not track ${proto === ipProtocols.tcp ? 'TCP' : 'SCTP'} connections`);
  if (proto === ipProtocols.udp) {
    const [from, to] = [`${src}:${key[word.tpSrc]}`, `${dst}:${key[word.tpDst]}`];
    return { forward: between(from, to), backward: between(to, from), opens: true };
  }
  if (proto !== ipProtocols.icmp) return { forward: between(`${src}`, `${dst}`), backward: between(`${dst}`, `${src}`), opens: true };
  const type = key[word.tpSrc] ?? 0;
  const other = icmpRequests.get(type) ?? icmpReplies.get(type);
  if (other !== undefined && key[word.tpDst] !== 0) return undefined;
  if (other === undefined) throw new Unsupported(`the model does not track ICMP type ${type}`);
  const identifier = ((frame[l4 + 4] ?? 0) << 8) | (frame[l4 + 5] ?? 0);
  const [from, to] = [`${src} ${identifier}`, `${dst} ${identifier}`];
  return { forward: between(`${from} ${type}`, to), backward: between(`${to} ${other}`, from), opens: icmpRequests.has(type) };
}

/** The tracker checks the transport's checksum; UDP may do without one (RFC 768). Of the IP header's, versions think differently. */
function checksumsHold(frame: Uint8Array, { l3, l4 }: Layout, key: FlowKey): boolean {
  if (internetChecksum(frame.subarray(l3, l4)) !== 0) throw new Unsupported('the model does not track packets with a wrong IPv4 header checksum, which Open vSwitch 3.2 to 3.5 do not look at and others call invalid');
  const totalLength = ((frame[l3 + 2] ?? 0) << 8) | (frame[l3 + 3] ?? 0);
  const segment = frame.subarray(l4, l3 + totalLength);
  switch (key[word.nwProto]) {
    case ipProtocols.icmp:
      return segment.length >= 8 && internetChecksum(segment) === 0;
    case ipProtocols.udp: {
      if (segment.length < 8) return false;
      const length = ((segment[4] ?? 0) << 8) | (segment[5] ?? 0);
      if (length < 8 || length > segment.length || key[word.tpSrc] === 0 || key[word.tpDst] === 0) return false;
      if (segment[6] === 0 && segment[7] === 0) return true;
      const pseudoHeader = sumWords(frame.subarray(l3 + 12, l3 + 20), ipProtocols.udp + segment.length);
      return finishChecksum(sumWords(segment, pseudoHeader)) === 0;
    }
    default:
      return true;
  }
}
