/**
 * The connection tracker of the userspace datapath: TCP, UDP, ICMP requests and answers, and protocols without ports. SCTP,
 * fragments, NAT and ICMP errors are refused by name until the model knows them. Times are virtual milliseconds.
 */
import { assertNever } from '../../base/errors.js';
import type { Layout } from '../../packet/extract/extract.js';
import { word, type FlowKey } from '../../packet/flow-key.js';
import { ctStateBits } from '../../openflow/fields.js';
import { beginIcmp, opensIcmp, updateIcmp, type IcmpProgress } from './icmp.js';
import { beginOther, updateOther, type OtherProgress } from './other.js';
import { trackedPacket, type TrackedPacket } from './packet.js';
import { beginTcp, opensTcp, updateTcp, type TcpProgress } from './tcp.js';
import type { Update } from './update.js';

export interface Connection {
  readonly zone: number;
  readonly protocol: number;
  /** The direction of its first packet, and the other. */
  readonly original: string;
  readonly reply: string;
  /** What its first packet had in the fields that ct_nw_src and the like are named after. */
  readonly first: FirstTuple;
  readonly progress: TcpProgress | IcmpProgress | OtherProgress;
  mark: number;
  /** 128 bits. */
  label: bigint;
  expiresAtMs: number;
}

/** By the words of the flow key: ICMP has its type and code where others have ports. */
export interface FirstTuple {
  readonly nwSrc: number;
  readonly nwDst: number;
  readonly nwProto: number;
  readonly tpSrc: number;
  readonly tpDst: number;
}

/** Connections by zone, protocol and direction: each is there twice. */
export type ConnectionTable = Map<string, Connection>;

/** What the tracker says of a packet: bits of ct_state, and its connection where one exists. */
export interface Tracked {
  readonly state: number;
  readonly connection?: Connection;
  /** Of the connection, or of a packet that might begin one; missing for a packet that can belong to none. */
  readonly first?: FirstTuple;
}

const { trk, inv, est, rpl, new: fresh } = ctStateBits;

/**
 * Looks a packet up in `zone`; with `commit`, a new connection is remembered.
 * @param frame the packet's bytes as they are now, `key` and `layout` what was extracted from them.
 */
export function track(table: ConnectionTable, frame: Uint8Array, layout: Layout, key: FlowKey, zone: number, nowMs: number, commit: boolean): Tracked {
  const packet = trackedPacket(frame, layout, key);
  if (packet === undefined) return { state: trk | inv };
  const own: FirstTuple = { nwSrc: key[word.nwSrc] ?? 0, nwDst: key[word.nwDst] ?? 0, nwProto: key[word.nwProto] ?? 0, tpSrc: key[word.tpSrc] ?? 0, tpDst: key[word.tpDst] ?? 0 };
  const found = table.get(keyOf(zone, packet.protocol, packet.forward));
  if (found !== undefined && found.expiresAtMs > nowMs) {
    const isReply = found.original !== packet.forward;
    const update = updateWith(found, packet, isReply);
    if (update.kind === 'invalid') return { state: trk | inv, connection: found, first: found.first };
    if (update.kind === 'restart') {
      found.expiresAtMs = nowMs;
    } else {
      if (update.timeoutMs !== undefined) found.expiresAtMs = nowMs + update.timeoutMs;
      return { state: trk | (update.kind === 'new' ? fresh : est | (isReply ? rpl : 0)), connection: found, first: found.first };
    }
  }
  if (!opens(packet)) return { state: trk | inv, first: own };
  if (!commit) return { state: trk | fresh, first: own };
  const { progress, timeoutMs } = begin(packet);
  const created: Connection = { zone, protocol: packet.protocol, original: packet.forward, reply: packet.backward, first: own, progress, mark: 0, label: 0n, expiresAtMs: nowMs + timeoutMs };
  for (const direction of [packet.forward, packet.backward]) table.set(keyOf(zone, packet.protocol, direction), created);
  return { state: trk | fresh, connection: created, first: own };
}

/** Every connection of the table that has not expired. */
export function liveConnections(table: ConnectionTable, nowMs: number): readonly Connection[] {
  return [...new Set(table.values())].filter(({ expiresAtMs }) => expiresAtMs > nowMs);
}

function opens(packet: TrackedPacket): boolean {
  switch (packet.kind) {
    case 'tcp':
      return opensTcp(packet.segment);
    case 'icmp':
      return opensIcmp(packet.type);
    case 'other':
      return true;
    default:
      return assertNever(packet);
  }
}

function begin(packet: TrackedPacket): { readonly progress: Connection['progress']; readonly timeoutMs: number } {
  switch (packet.kind) {
    case 'tcp':
      return beginTcp(packet.segment);
    case 'icmp':
      return beginIcmp();
    case 'other':
      return beginOther();
    default:
      return assertNever(packet);
  }
}

function updateWith({ progress }: Connection, packet: TrackedPacket, isReply: boolean): Update {
  if (progress.kind === 'tcp' && packet.kind === 'tcp') return updateTcp(progress, packet.segment, isReply);
  return progress.kind === 'icmp' ? updateIcmp(progress, isReply) : updateOther(progress as OtherProgress, isReply);
}

function keyOf(zone: number, protocol: number, direction: string): string {
  return `${zone} ${protocol} ${direction}`;
}
