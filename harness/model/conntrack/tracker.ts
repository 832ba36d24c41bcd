/**
 * The connection tracker of the userspace datapath, after Open vSwitch's lib/conntrack.c. Fragments and NAT are refused by name until
 * the model knows them. Times are virtual milliseconds.
 */
import { assertNever } from '../../base/errors.js';
import type { Layout } from '../../packet/extract/extract.js';
import type { FlowKey } from '../../packet/flow-key.js';
import { ctStateBits } from '../../openflow/fields.js';
import type { Behaviour } from '../behaviour.js';
import { beginIcmp, opensIcmp, updateIcmp, type IcmpProgress } from './icmp.js';
import { beginOther, updateOther, type OtherProgress } from './other.js';
import { trackedPacket, type TrackedPacket } from './packet.js';
import { beginTcp, opensTcp, updateTcp, type TcpProgress } from './tcp.js';
import { isSame, keyOf, reversed, type Tuple } from './tuple.js';
import type { Update } from './update.js';

export interface Connection {
  /** The direction of its first packet, and the other. */
  readonly original: Tuple;
  readonly reply: Tuple;
  readonly progress: TcpProgress | IcmpProgress | OtherProgress;
  mark: number;
  /** 128 bits. */
  label: bigint;
  expiresAtMs: number;
}

/** Connections by both of their tuples: each is there twice. */
export type ConnectionTable = Map<string, Connection>;

/** What the tracker says of a packet: bits of ct_state, and its connection where one exists. */
export interface Tracked {
  readonly state: number;
  readonly connection?: Connection;
  /** The connection's original direction, or that of a packet that might begin one; missing for a packet that can belong to none. */
  readonly original?: Tuple;
}

const { trk, inv, est, rel, rpl, new: fresh } = ctStateBits;

/**
 * Looks a packet up in `zone`; with `commit`, a new connection is remembered.
 * @param frame the packet's bytes as they are now, `key` and `layout` what was extracted from them.
 */
export function track(table: ConnectionTable, frame: Uint8Array, layout: Layout, key: FlowKey, zone: number, nowMs: number, commit: boolean, behaviour: Behaviour): Tracked {
  const packet = trackedPacket(frame, layout, key, zone, behaviour);
  if (packet === undefined) return { state: trk | inv };
  const { tuple } = packet;
  const found = lookup(table, tuple, nowMs);
  if (packet.kind === 'error') return relatedTo(found, tuple);
  if (found !== undefined) {
    const { original } = found;
    const isReply = !isSame(original, tuple);
    const update = updateWith(found, packet, isReply);
    if (update.kind === 'invalid') return { state: trk | inv, connection: found, original };
    if (update.kind === 'restart') {
      found.expiresAtMs = nowMs;
    } else {
      if (update.timeoutMs !== undefined) found.expiresAtMs = nowMs + update.timeoutMs;
      return { state: trk | (update.kind === 'new' ? fresh : est | (isReply ? rpl : 0)), connection: found, original };
    }
  }
  if (!opens(packet)) return { state: trk | inv, original: tuple };
  if (!commit) return { state: trk | fresh, original: tuple };
  const { progress, timeoutMs } = begin(packet);
  const created: Connection = { original: tuple, reply: reversed(tuple), progress, mark: 0, label: 0n, expiresAtMs: nowMs + timeoutMs };
  for (const direction of [created.original, created.reply]) table.set(keyOf(direction), created);
  return { state: trk | fresh, connection: created, original: tuple };
}

/** An error belongs to a connection, but is no part of it; without one it is invalid. */
function relatedTo(connection: Connection | undefined, tuple: Tuple): Tracked {
  if (connection === undefined) return { state: trk | inv, original: tuple };
  return { state: trk | rel | (isSame(connection.original, tuple) ? 0 : rpl), connection, original: connection.original };
}

/** The connection that a packet in the direction of `tuple` belongs to. */
export function lookup(table: ConnectionTable, tuple: Tuple, nowMs: number): Connection | undefined {
  const found = table.get(keyOf(tuple));
  return found !== undefined && found.expiresAtMs > nowMs ? found : undefined;
}

/** Every connection of the table that has not expired. */
export function liveConnections(table: ConnectionTable, nowMs: number): readonly Connection[] {
  return [...new Set(table.values())].filter(({ expiresAtMs }) => expiresAtMs > nowMs);
}

/** What is part of a connection: anything but an error. */
type Part = Exclude<TrackedPacket, { readonly kind: 'error' }>;

function opens(packet: Part): boolean {
  switch (packet.kind) {
    case 'tcp':
      return opensTcp(packet.segment);
    case 'icmp':
      return opensIcmp(packet.tuple.protocol, packet.type);
    case 'other':
      return true;
    default:
      return assertNever(packet);
  }
}

function begin(packet: Part): { readonly progress: Connection['progress']; readonly timeoutMs: number } {
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

function updateWith({ progress }: Connection, packet: Part, isReply: boolean): Update {
  if (progress.kind === 'tcp' && packet.kind === 'tcp') return updateTcp(progress, packet.segment, isReply);
  return progress.kind === 'icmp' ? updateIcmp(progress, isReply) : updateOther(progress as OtherProgress, isReply);
}
