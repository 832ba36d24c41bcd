/**
 * Connections, and the table that they are found in: by what their packets look like, in either
 * direction (Open vSwitch lib/conntrack-private.h, struct conn).
 */
import { Unpredictable } from '../../base/errors/errors.js';
import type { Behaviour } from '../behaviour.js';
import type { Expectations } from './expectation.js';
import type { Progress } from './protocols/progress.js';
import type { Timeouts } from './timeouts.js';
import { isSame, keyOf, reversed, type Tuple } from './tuple.js';

export interface Connection {
  /** The direction of its first packet, and the other. */
  readonly original: Tuple;
  readonly reply: Tuple;
  /** The address of its own packets that is translated; missing where the flow asked for none. */
  readonly natPart?: 'src' | 'dst' | 'neither';
  readonly progress: Progress;
  /** Those of its zone. */
  readonly timeouts: Timeouts;
  /** How many have expired that began with its tuple. */
  readonly expiredBefore: number;
  /** What reads its packets, and what they have announced so far. */
  readonly helper?: Helper;
  expects?: Expectations;
  /**
   * The direction in which the connection began that expected this one: mark and label are those
   * that it had, for good.
   */
  readonly parent?: Tuple;
  mark: number;
  /** 128 bits. */
  label: bigint;
  expiresAtMs: number;
  /** Whether a packet ended it, before its time. */
  isExpiredByPacket?: true;
}

/** Connections by both of their tuples: each is there twice. */
export type ConnectionTable = Map<string, Connection>;

/** The table as it is at a moment. */
export interface ConnectionTableAt {
  readonly connections: ConnectionTable;
  readonly nowMs: number;
  readonly behaviour: Behaviour;
}

/**
 * Whether answers do not look like the other direction of its packets: before 3.3 they then belong
 * to an entry of their own, which is only found where the connection's own does not come first.
 */
export function hasSeparateReplyEntry({ natPart, original, reply }: Connection): boolean {
  return natPart !== undefined && !isSame(reply, reversed(original));
}

/**
 * The connection that a packet in the direction of `tuple` belongs to: the newest, as those that
 * are translated may cover others.
 */
export function lookupConnection(
  table: ConnectionTable,
  tuple: Tuple,
  nowMs: number,
): Connection | undefined {
  const found = table.get(keyOf(tuple));
  if (found === undefined || found.expiresAtMs > nowMs) return found;
  return liveConnections(table, nowMs).findLast(
    ({ original, reply }) => isSame(original, tuple) || isSame(reply, tuple),
  );
}

/**
 * Whether `tuple` cannot identify a new connection. @throws Unpredictable where it depends on when
 * Open vSwitch sweeps expired connections, and `unknown` does not say.
 */
export function isTupleTaken(
  moment: ConnectionTableAt,
  tuple: Tuple,
  whenUnobservable: WhenUnobservable = refuseUnobservable,
): boolean {
  return (
    lookupConnection(moment.connections, tuple, moment.nowMs) !== undefined ||
    isBlockedByExpired(moment, tuple, whenUnobservable)
  );
}

/**
 * Whether what has ended is still in the way of `tuple`, which depends on Open vSwitch's sweep.
 * What a packet ended just now is: it sweeps up once time has passed.
 */
export type WhenUnobservable = (tuple: Tuple, ended: 'just now' | 'before') => boolean;

const refuseUnobservable: WhenUnobservable = (_, ended) => {
  if (ended === 'just now') return true;
  throw new Unpredictable(
    'it is nondeterministic when Open vSwitch before 3.3 forgets where answers to a translated ' +
      'connection came that has ended',
  );
};

/**
 * Whether answers to a translated connection that has ended would look like this, or, where they
 * are just the other way round, its packets.
 */
export function isBlockedByExpired(
  { connections, nowMs, behaviour }: ConnectionTableAt,
  tuple: Tuple,
  whenUnobservable: WhenUnobservable = refuseUnobservable,
): boolean {
  const ended =
    behaviour.endedTranslations === 'are gone' ? undefined : connections.get(keyOf(tuple));
  if (ended?.natPart === undefined || ended.expiresAtMs > nowMs) return false;
  if (!isSame(ended.reply, tuple) && !isSame(ended.reply, reversed(tuple))) return false;
  return whenUnobservable(
    tuple,
    ended.isExpiredByPacket === true && ended.expiresAtMs === nowMs ? 'just now' : 'before',
  );
}

/** A packet ends it: another takes its place. */
export function expireNow(connection: Connection, nowMs: number): void {
  Object.assign(connection, { expiresAtMs: nowMs, isExpiredByPacket: true });
}

/** It is gone; another that it covered is found again. */
export function removeConnection(table: ConnectionTable, gone: Connection): void {
  const keys = [keyOf(gone.original), keyOf(gone.reply)].filter((key) => table.get(key) === gone);
  for (const key of keys) table.delete(key);
  for (const key of keys) {
    const covered = [...table.values()].findLast(
      ({ original, reply }) => keyOf(original) === key || keyOf(reply) === key,
    );
    if (covered !== undefined) table.set(key, covered);
  }
}

/** Every connection of the table that has not expired, in the order in which they came. */
export function liveConnections(table: ConnectionTable, nowMs: number): readonly Connection[] {
  return [...new Set(table.values())].filter(({ expiresAtMs }) => expiresAtMs > nowMs);
}

/** What its packets belong to (write_ct_md). */
export function reportedOriginal({ original, parent }: Connection): Tuple {
  return parent ?? original;
}
export type Helper = 'ftp' | 'tftp';
