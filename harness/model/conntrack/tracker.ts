/**
 * The connection tracker of the userspace datapath, after Open vSwitch's lib/conntrack.c. Times are virtual milliseconds.
 */
import { assertNever, Unsupported } from '../../base/errors.js';
import type { NatAction } from '../../openflow/actions.js';
import { ctStateBits } from '../../openflow/fields.js';
import type { Behaviour } from '../behaviour.js';
import { expectedAs, helperOf, type Expectations, type Expected, type Helper } from './helper.js';
import { beginIcmp, opensIcmp, updateIcmp, type IcmpProgress } from './icmp.js';
import { beginOther, updateOther, type OtherProgress } from './other.js';
import type { TrackedPacket } from './packet.js';
import { beginTcp, opensTcp, updateTcp, type TcpProgress } from './tcp.js';
import type { TimeoutName, Timeouts } from './timeouts.js';
import { isIcmp, isSame, keyOf, reversed, type Tuple } from './tuple.js';
import type { Update } from './update.js';

export interface Connection {
  /** The direction of its first packet, and the other. */
  readonly original: Tuple;
  readonly reply: Tuple;
  /** The address of its own packets that is translated; missing where the flow asked for none. */
  readonly translated?: 'src' | 'dst' | 'neither';
  readonly progress: TcpProgress | IcmpProgress | OtherProgress;
  /** Those of its zone. */
  readonly timeouts: Timeouts;
  /** How many have expired that began with its tuple. */
  readonly replaces: number;
  /** What reads its packets, and what they told of so far. */
  readonly helper?: Helper;
  expects?: Expectations;
  /** The direction in which the connection began that told of this one: mark and label are those that it had, for good. */
  readonly parent?: Tuple;
  mark: number;
  /** 128 bits. */
  label: bigint;
  expiresAtMs: number;
}

/** Connections by both of their tuples: each is there twice. */
export type ConnectionTable = Map<string, Connection>;

/** What the datapath knows of a packet's connection, and keeps until the packet enters another zone (Open vSwitch lib/packets.h, struct pkt_metadata). */
export interface Tracked {
  readonly zone: number;
  /** Bits of ct_state. */
  readonly state: number;
  readonly connection?: Connection;
  readonly isReply: boolean;
  /** Whether it quotes a packet of its connection. */
  readonly isError?: true;
  /** Of a packet without a connection, what it was expected with. */
  readonly expected?: Expected;
  /** The original direction of the connection, of the one that told of it, or that of a packet that might begin one; missing for a packet that can belong to none. */
  readonly original?: Tuple;
  /** What its addresses and ports become. */
  readonly becomes?: Translation;
}

/** The packet goes in the direction of `tuple`; only one of its addresses is written, but both ports. */
export interface Translation {
  readonly part: 'src' | 'dst';
  /** Whether what it quotes is translated as well. */
  readonly isOfError: boolean;
  readonly tuple: Tuple;
}

/** What flows ask for (ovs-actions(7), "ct"). */
export interface Asked {
  readonly zone: number;
  /** What becomes of a packet without a connection; `by force`, one that would be an answer begins a connection as well. */
  readonly commits: 'nothing' | 'new connections' | 'by force';
  readonly nat?: NatAction;
  readonly helper?: Helper;
  /** What reads the packet. */
  readonly reader?: Helper;
}

/** What the tracker needs to know of its node. */
export interface Tracker {
  readonly connections: ConnectionTable;
  /** Those that told of others. */
  readonly controls: Set<Connection>;
  readonly nowMs: number;
  readonly behaviour: Behaviour;
  readonly tcpSequences: 'checked' | 'not checked';
  readonly timeoutsOf: (tuple: Tuple) => Timeouts;
  /** Whether the zone takes one more connection. */
  readonly hasRoom: (zone: number) => boolean;
  /** The direction of the answers to a new connection that is translated; undefined where there can be none. */
  readonly translate: (original: Tuple, nat: NatAction) => Tuple | undefined;
}

const { trk, inv, est, rel, rpl, snat, dnat, new: fresh } = ctStateBits;
const translatedBits = snat | dnat;

/**
 * Looks a packet up, with what was said of it `before` (lib/conntrack.c, process_one). Undefined packets can belong to no connection.
 */
export function track(tracker: Tracker, packet: TrackedPacket | undefined, asked: Asked, before: Tracked | undefined): Tracked {
  const { zone, nat } = asked;
  if (packet === undefined) return { zone, state: trk | inv, isReply: false };
  const earlier = before?.zone === zone ? before : undefined;
  const { connection, isReply, tuple } = find(tracker, packet, asked, earlier);
  const state = trk | (earlier?.state ?? 0);
  if (connection === undefined && isInTheWay(tracker, tuple)) return { zone, state: state | inv, isReply: false };
  if (packet.kind === 'error') return translated(relatedTo(zone, state, isReply, tuple, connection), nat);
  if (connection !== undefined) {
    const known = connection.parent === undefined ? state : state | rel;
    const update = updateWith(connection, packet, isReply, tracker.tcpSequences);
    if (update.kind !== 'restart') {
      if (update.kind !== 'invalid' && update.timeout !== undefined) connection.expiresAtMs = tracker.nowMs + connection.timeouts[update.timeout] * 1000;
      return translated({ zone, state: stateAfter(known, update, isReply), connection, isReply, original: firstOf(connection) }, nat);
    }
    connection.expiresAtMs = tracker.nowMs;
  }
  if (isTaken(tracker, tuple)) return { zone, state, isReply, original: tuple };
  const expected = expectedAs(tracker.connections, tracker.controls, tuple, tracker.nowMs);
  const told = { zone, isReply, original: expected?.parent ?? tuple, ...(expected === undefined ? {} : { expected }) };
  if (!opens(packet)) return { ...told, state: trk | inv };
  const opened = { ...told, state: expected === undefined ? trk | fresh : trk | fresh | rel };
  const created = asked.commits === 'nothing' ? undefined : create(tracker, packet, tuple, asked, expected);
  return created === undefined ? opened : translated({ ...opened, connection: created, isReply: false }, nat);
}

/** What was said of a packet that is the same in the same zone holds; only its addresses may have to follow (process_one_fast). */
export function trackAgain(before: Tracked, nat: NatAction | undefined): Tracked {
  const { becomes: _, ...said } = before;
  return translated(said, nat);
}

interface Found {
  readonly connection?: Connection;
  readonly isReply: boolean;
  /** The packet's direction, as it was before it was translated. */
  readonly tuple: Tuple;
}

/** The packet's connection; one that was translated in this zone is looked up by what its answers look like (initial_conn_lookup). */
function find({ connections, nowMs, behaviour }: Tracker, packet: TrackedPacket, { commits, nat }: Asked, earlier: Tracked | undefined): Found {
  const wasTranslated = ((earlier?.state ?? 0) & translatedBits) !== 0;
  const { tuple } = packet;
  const connection = lookup(connections, wasTranslated ? reversed(tuple) : tuple, nowMs);
  if (connection === undefined) {
    const first = wasTranslated && nat === undefined ? earlier?.original : undefined;
    const byFirst = first === undefined ? undefined : lookup(connections, asFirst(first, tuple), nowMs);
    return { ...(byFirst === undefined ? {} : { connection: byFirst }), isReply: false, tuple };
  }
  const isReply = wasTranslated === isSame(connection.original, wasTranslated ? reversed(tuple) : tuple);
  const own = wasTranslated ? (isReply ? connection.reply : connection.original) : tuple;
  if (commits !== 'by force' || !isReply) return { connection, isReply, tuple: own };
  if (connection.translated !== undefined && behaviour.forceOnTranslated === 'does nothing') {
    if (wasTranslated) throw new Unsupported('the model does not know what Open vSwitch before 3.3 makes of `force` for a packet that was translated in the same zone');
    return { connection, isReply, tuple: own };
  }
  connection.expiresAtMs = nowMs;
  return { isReply, tuple: own };
}

/** What the packet's connection began with, but for the identifier of ICMP, which is the packet's own (check_orig_tuple). */
function asFirst(first: Tuple, { src, dst }: Tuple): Tuple {
  return isIcmp(first) ? { ...first, src: { ...first.src, port: src.port }, dst: { ...first.dst, port: dst.port } } : first;
}

function stateAfter(state: number, { kind }: Exclude<Update, { readonly kind: 'restart' }>, isReply: boolean): number {
  switch (kind) {
    case 'valid':
      return (state & ~fresh) | est | (isReply ? rpl : 0);
    case 'new':
      return state | fresh;
    case 'invalid':
      return trk | inv;
  }
}

/** An error belongs to a connection, but is no part of it; without one it is invalid. */
function relatedTo(zone: number, state: number, isReply: boolean, tuple: Tuple, connection: Connection | undefined): Tracked {
  if (connection === undefined) return { zone, state: trk | inv, isReply, original: tuple };
  return { zone, state: state | rel | (isReply ? rpl : 0), isReply, isError: true, connection, original: firstOf(connection) };
}

/** What its packets are told to belong to (write_ct_md). */
function firstOf({ original, parent }: Connection): Tuple {
  return parent ?? original;
}

function create({ connections, nowMs, timeoutsOf, hasRoom, translate }: Tracker, packet: Part, original: Tuple, { nat, helper: asked, reader }: Asked, expected: Expected | undefined): Connection | undefined {
  if (!hasRoom(original.zone)) return undefined;
  if (nat !== undefined && expected !== undefined) throw new Unsupported('the model does not translate connections that were expected of FTP or TFTP');
  const helper = helperOf(reader, asked);
  const reply = nat === undefined ? reversed(original) : translate(original, nat);
  if (reply === undefined) return undefined;
  const { progress, timeout } = begin(packet);
  const timeouts = timeoutsOf(original);
  const former = connections.get(keyOf(original));
  const created: Connection = {
    original, reply, ...(nat === undefined ? {} : { translated: nat.to?.part ?? 'neither' }), progress, timeouts, replaces: former === undefined ? 0 : former.replaces + 1,
    mark: expected?.mark ?? 0, label: expected?.label ?? 0n, ...(helper === undefined ? {} : { helper }), ...(expected === undefined ? {} : { parent: expected.parent }), expiresAtMs: nowMs + timeouts[timeout] * 1000,
  };
  for (const direction of [original, reply]) connections.set(keyOf(direction), created);
  return created;
}

/** A packet of a connection that is translated, where the flow asks for it and it was not done yet in this zone (handle_nat). */
function translated(said: Tracked, nat: NatAction | undefined): Tracked {
  const { connection, state, isReply } = said;
  if (nat === undefined || connection?.translated === undefined || connection.translated === 'neither' || (state & translatedBits) !== 0) return said;
  const part = (connection.translated === 'src') === isReply ? 'dst' : 'src';
  return { ...said, state: state | (part === 'src' ? snat : dnat), becomes: { part, isOfError: said.isError === true, tuple: reversed(isReply ? connection.original : connection.reply) } };
}

/** The connection that a packet in the direction of `tuple` belongs to: the newest, as those that are translated may cover others. */
export function lookup(table: ConnectionTable, tuple: Tuple, nowMs: number): Connection | undefined {
  const found = table.get(keyOf(tuple));
  if (found === undefined || found.expiresAtMs > nowMs) return found;
  return liveConnections(table, nowMs).findLast(({ original, reply }) => isSame(original, tuple) || isSame(reply, tuple));
}

/** Whether no new connection can be told from others by `tuple`. @throws Unsupported where it depends on when Open vSwitch sweeps up. */
export function isTaken(tracker: Pick<Tracker, 'connections' | 'nowMs' | 'behaviour'>, tuple: Tuple): boolean {
  return lookup(tracker.connections, tuple, tracker.nowMs) !== undefined || isInTheWay(tracker, tuple);
}

/** Whether answers to a translated connection that has ended would look like this, or, where they are just the other way round, its packets. */
function isInTheWay({ connections, nowMs, behaviour }: Pick<Tracker, 'connections' | 'nowMs' | 'behaviour'>, tuple: Tuple): boolean {
  const ended = behaviour.endedTranslations === 'are gone' ? undefined : connections.get(keyOf(tuple));
  if (ended?.translated === undefined || ended.expiresAtMs > nowMs) return false;
  if (!isSame(ended.reply, tuple) && !isSame(ended.reply, reversed(tuple))) return false;
  if (ended.expiresAtMs < nowMs) throw new Unsupported('the model does not know when Open vSwitch before 3.3 forgets where answers to a translated connection came that has ended');
  return true;
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

function begin(packet: Part): { readonly progress: Connection['progress']; readonly timeout: TimeoutName } {
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

function updateWith({ progress }: Connection, packet: Part, isReply: boolean, tcpSequences: Tracker['tcpSequences']): Update {
  if (progress.kind === 'tcp' && packet.kind === 'tcp') return updateTcp(progress, packet.segment, isReply, tcpSequences);
  return progress.kind === 'icmp' ? updateIcmp(progress, isReply) : updateOther(progress as OtherProgress, isReply);
}
