/** New connections (Open vSwitch lib/conntrack.c, conn_not_found). */
import type { NatAction } from '../../openflow/actions/actions.js';
import type { Connection, ConnectionTable } from './connection.js';
import { newConnectionHelper } from './helpers/helper.js';
import type { Expectation } from './expectation.js';
import { hasRoom } from './limits.js';
import { beginProgress, type ConnectionPacket } from './protocols/progress.js';
import { timeoutsFor } from './timeouts.js';
import type { CtRequest, ChooseNatTuple, Tracker } from './tracked.js';
import { keyOf, reversed, type Tuple } from './tuple.js';

/** Undefined where there is no room for one more, or nothing to translate it to. */
export function createConnection<Node extends Tracker>(
  tracker: Node,
  packet: ConnectionPacket,
  original: Tuple,
  { nat, helper: askedHelper, reader }: CtRequest,
  expected: Expectation | undefined,
  choose: ChooseNatTuple<Node>,
): Connection | undefined {
  const { connections, nowMs, conntrack, behaviour } = tracker;
  if (!hasRoom(connections, original.zone, nowMs, conntrack, behaviour)) return undefined;
  const helper = newConnectionHelper(reader, askedHelper);
  const reply =
    nat === undefined
      ? reversed(original)
      : expected === undefined
        ? choose(tracker, original, nat)
        : expectedReply(original, expected);
  if (reply === undefined) return undefined;
  const { progress, timeout } = beginProgress(packet, behaviour, nowMs);
  const timeouts = timeoutsFor(tracker, original);
  const previous = connections.get(keyOf(original));
  const plain: Connection = {
    original,
    reply,
    progress,
    timeouts,
    expiredBefore: previous === undefined ? 0 : previous.expiredBefore + 1,
    mark: expected?.mark ?? 0,
    label: expected?.label ?? 0n,
    expiresAtMs: nowMs + timeouts[timeout] * 1000,
  };
  const isPlain = nat === undefined && helper === undefined && expected === undefined;
  const created: Connection = isPlain
    ? plain
    : {
        ...plain,
        ...(nat === undefined ? {} : { natPart: natPartOf(nat, expected) }),
        ...(helper === undefined ? {} : { helper }),
        ...(expected === undefined ? {} : { parent: expected.parent }),
      };
  for (const key of [keyOf(original), keyOf(reply)]) putLast(connections, key, created);
  return created;
}

/** What came last stands last. */
function putLast(connections: ConnectionTable, key: string, connection: Connection): void {
  const { size } = connections;
  connections.set(key, connection);
  if (connections.size > size) return;
  connections.delete(key);
  connections.set(key, connection);
}

/**
 * One that was expected is translated as the connection that expected it, whatever the flow asks
 * for.
 */
function expectedReply(original: Tuple, { reply: { part, address } }: Expectation): Tuple {
  const reply = reversed(original);
  return { ...reply, [part]: { ...reply[part], address } };
}

function natPartOf(nat: NatAction, expected: Expectation | undefined): 'src' | 'dst' | 'neither' {
  if (expected === undefined) return nat.to?.part ?? 'neither';
  return expected.reply.part === 'dst' ? 'src' : 'dst';
}
