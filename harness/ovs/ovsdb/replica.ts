/** Tables of a database as they stand, kept up to date by ovsdb-server (RFC 7047, "monitor"). */
import { giveUpMs, withDeadline } from '../../base/concurrency/deadline.js';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { connectJsonRpc, type Peer, type SocketAddress } from './json-rpc.js';
import type { Row } from './ovsdb.js';

export interface Replica {
  /** The rows of a monitored table by UUID. */
  rows(table: string): ReadonlyMap<string, Row>;
  /**
   * Waits until `ask` finds nothing that is missing: it is asked now, and after each change.
   * @param ask what is missing, one line each.
   * @throws Unavailable naming `what` and what is missing still after `limitMs`, or why the server
   *   has gone.
   */
  until(what: string, limitMs: number, ask: (replica: Replica) => readonly string[]): Promise<void>;
  close(): void;
}

type Changes = Readonly<Record<string, Readonly<Record<string, { readonly new?: Row }>>>>;

const answerLimitMs = giveUpMs;

/**
 * Connects to ovsdb-server's database socket and monitors columns of tables.
 * @throws NodeJS.ErrnoException when nobody listens there, InputError for what the database does
 *   not have.
 */
export async function connectReplica(
  address: SocketAddress,
  database: string,
  peer: Peer,
  tables: Readonly<Record<string, readonly string[]>>,
): Promise<Replica> {
  const held = new Map(Object.keys(tables).map((table) => [table, new Map<string, Row>()]));
  const waiting = new Set<{ look(): void; fail(cause: Unavailable): void }>();
  let over: Unavailable | undefined;
  const apply = (changes: Changes) => {
    for (const [table, rows] of Object.entries(changes))
      for (const [uuid, { new: row }] of Object.entries(rows))
        if (row === undefined) held.get(table)?.delete(uuid);
        else held.get(table)?.set(uuid, row);
    for (const { look } of waiting) look();
  };
  /** Updates that arrived with the first state, and were read before it. */
  let early: Changes[] | undefined = [];
  const connection = await connectJsonRpc(address, peer, {
    notified: (method, [, changes]) => {
      if (method !== 'update') return;
      if (early === undefined) apply(changes as Changes);
      else early.push(changes as Changes);
    },
    ended: (cause) => {
      over = cause;
      for (const { fail } of waiting) fail(cause);
    },
  });
  const { result, error } = await withDeadline(
    connection.request('monitor', [database, null, monitorRequests(tables)]),
    answerLimitMs,
    `${peer.name} to answer a monitor request`,
  );
  if (error !== null) {
    connection.close();
    throw new InputError(`${peer.name} refuses to monitor: ${JSON.stringify(error)}`);
  }
  for (const changes of [result as Changes, ...early]) apply(changes);
  early = undefined;

  const replica: Replica = {
    rows: (table) => {
      const rows = held.get(table);
      if (rows === undefined) throw new InputError(`table ${table} is not monitored`);
      return rows;
    },
    until: async (what, limitMs, ask) => {
      let missing: readonly string[] = ['nothing was asked'];
      let stop = (): void => undefined;
      const met = new Promise<void>((resolve, reject) => {
        const waiter = {
          look: () => {
            try {
              missing = ask(replica);
              if (missing.length === 0) resolve();
            } catch (error) {
              reject(error instanceof Error ? error : new Error(String(error)));
            }
          },
          fail: reject,
        };
        stop = () => void waiting.delete(waiter);
        waiting.add(waiter);
        waiter.look();
        if (over !== undefined) reject(over);
      });
      try {
        await withDeadline(met, limitMs, what);
      } catch (error) {
        if (!(error instanceof Unavailable) || error === over) throw error;
        throw new Unavailable([error.message, ...missing].join('; '), error.remedies);
      } finally {
        stop();
      }
    },
    close: () => connection.close(),
  };
  return replica;
}

function monitorRequests(tables: Readonly<Record<string, readonly string[]>>): object {
  return Object.fromEntries(Object.entries(tables).map(([table, columns]) => [table, { columns }]));
}
