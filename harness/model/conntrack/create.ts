/** New connections (Open vSwitch lib/conntrack.c, conn_not_found). */
import type { NatAction } from '../../openflow/actions.js';
import type { Connection, ConnectionTable } from './connection.js';
import { helperOf, type Expected } from './helper.js';
import { hasRoom } from './limits.js';
import { begin, type Part } from './progress.js';
import { timeoutsFor } from './timeouts.js';
import type { Asked, Choose, Tracker } from './tracked.js';
import { keyOf, reversed, type Tuple } from './tuple.js';

/** Undefined where there is no room for one more, or nothing to translate it to. */
export function create<Node extends Tracker>(
  tracker: Node,
  packet: Part,
  original: Tuple,
  { nat, helper: asked, reader }: Asked,
  expected: Expected | undefined,
  choose: Choose<Node>,
): Connection | undefined {
  const { connections, nowMs, conntrack, behaviour } = tracker;
  if (!hasRoom(connections, original.zone, nowMs, conntrack, behaviour)) return undefined;
  const helper = helperOf(reader, asked);
  const reply =
    nat === undefined
      ? reversed(original)
      : expected === undefined
        ? choose(tracker, original, nat)
        : answersTo(original, expected);
  if (reply === undefined) return undefined;
  const { progress, timeout } = begin(packet);
  const timeouts = timeoutsFor(tracker, original);
  const former = connections.get(keyOf(original));
  const plain: Connection = {
    original,
    reply,
    progress,
    timeouts,
    replaces: former === undefined ? 0 : former.replaces + 1,
    mark: expected?.mark ?? 0,
    label: expected?.label ?? 0n,
    expiresAtMs: nowMs + timeouts[timeout] * 1000,
  };
  const isPlain = nat === undefined && helper === undefined && expected === undefined;
  const created: Connection = isPlain
    ? plain
    : {
        ...plain,
        ...(nat === undefined ? {} : { translated: partOf(nat, expected) }),
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
 * One that was expected is translated as the connection that told of it, whatever the flow asks
 * for.
 */
function answersTo(original: Tuple, { answers: { part, address } }: Expected): Tuple {
  const reply = reversed(original);
  return { ...reply, [part]: { ...reply[part], address } };
}

function partOf(nat: NatAction, expected: Expected | undefined): 'src' | 'dst' | 'neither' {
  if (expected === undefined) return nat.to?.part ?? 'neither';
  return expected.answers.part === 'dst' ? 'src' : 'dst';
}
