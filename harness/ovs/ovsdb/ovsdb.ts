/** A database served by ovsdb-server (RFC 7047), as far as configuring a switch needs it. */
import { giveUpMs, withDeadline } from '../../base/concurrency/deadline.js';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { connectJsonRpc } from './json-rpc.js';
import type { Peer, SocketAddress } from './json-rpc.js';

/** Values as RFC 7047, 5.1 writes them: sets, maps and references are tagged arrays. */
export type Value =
  | string
  | number
  | boolean
  | readonly [tag: 'set' | 'map' | 'uuid' | 'named-uuid', content: unknown];
export type Row = Readonly<Record<string, Value>>;
type Condition = readonly [column: string, test: '==' | '!=' | '>=' | 'includes', value: Value];

/** The operations of a transaction that are used here (RFC 7047, 5.2). */
export type Operation =
  | {
      readonly op: 'insert';
      readonly table: string;
      readonly row: Row;
      readonly 'uuid-name'?: string;
      readonly uuid?: string;
    }
  | {
      readonly op: 'select';
      readonly table: string;
      readonly where: readonly Condition[];
      /** All of them where it is missing. */
      readonly columns?: readonly string[];
    }
  | {
      readonly op: 'mutate';
      readonly table: string;
      readonly where: readonly Condition[];
      readonly mutations: readonly (readonly [
        column: string,
        mutator: '+=' | 'insert' | 'delete',
        value: Value,
      ])[];
    }
  | {
      readonly op: 'update';
      readonly table: string;
      readonly where: readonly Condition[];
      readonly row: Row;
    }
  | { readonly op: 'delete'; readonly table: string; readonly where: readonly Condition[] }
  /** Ends the transaction unless this connection holds the lock (RFC 7047, 5.2.10). */
  | { readonly op: 'assert'; readonly lock: string; readonly table?: never }
  | WaitOperation;
/**
 * Holds the transaction back until the rows that `where` picks equal `rows`, for at most `timeout`
 * ms.
 */
interface WaitOperation {
  readonly op: 'wait';
  readonly table: string;
  readonly where: readonly Condition[];
  readonly columns: readonly string[];
  readonly until: '==' | '!=';
  readonly rows: readonly Row[];
  readonly timeout: number;
}

/** Of a column's keys or values (RFC 7047, 3.2). */
export type ColumnType = string | { readonly type: string };

/** As far as it is needed to write values. */
export interface DatabaseSchema {
  readonly tables: Readonly<
    Record<
      string,
      {
        readonly columns: Readonly<
          Record<
            string,
            { readonly type: string | { readonly key: ColumnType; readonly value?: ColumnType } }
          >
        >;
      }
    >
  >;
}

export interface Ovsdb {
  /**
   * All of `operations` or none; the rows that each of them selected.
   * @throws InputError naming the operation that was refused, Unavailable when the server has gone
   *   or gives no answer.
   */
  transact(operations: readonly Operation[]): Promise<readonly (readonly Row[])[]>;
  /**
   * The same with prerequisites: `unmet`, and nothing done, where one of its `wait` operations does
   * not come true within its timeout.
   */
  attempt(operations: readonly Operation[]): Promise<'unmet' | readonly (readonly Row[])[]>;
  /**
   * Waits for a named condition. @throws Unavailable naming it when it did not come true within
   * `limitMs`.
   */
  waitFor(
    what: string,
    condition: Omit<WaitOperation, 'op' | 'timeout'>,
    limitMs: number,
  ): Promise<void>;
  /** That of the server's version. @throws as `transact`. */
  schema(): Promise<DatabaseSchema>;
  /** Resolves once this connection holds the lock; it does until it ends (RFC 7047, 4.1.8). */
  lock(name: string): Promise<void>;
  close(): void;
}

interface Result {
  readonly rows?: readonly Row[];
  readonly error?: string;
  readonly details?: string;
}

const answerLimitMs = giveUpMs;

/**
 * Connects to ovsdb-server's database socket. @throws NodeJS.ErrnoException when nobody listens
 * there.
 */
export async function connectOvsdb(
  address: SocketAddress,
  database: string,
  peer: Peer,
): Promise<Ovsdb> {
  const locks = new Map<string, () => void>();
  const connection = await connectJsonRpc(address, peer, {
    notified: (method, [name]) => {
      if (method === 'locked') locks.get(String(name))?.();
    },
    ended: () => undefined,
  });
  const execute = async (operations: readonly Operation[], limitMs: number) => {
    const { result, error } = await withDeadline(
      connection.request('transact', [database, ...operations]),
      limitMs,
      `${peer.name} to answer a transaction`,
    );
    if (error !== null)
      throw new InputError(`${peer.name} refuses a transaction: ${JSON.stringify(error)}`);
    return result as readonly (Result | null)[];
  };
  const attempt = async (operations: readonly Operation[]) => {
    const results = await execute(operations, answerLimitMs);
    const failed = results.findIndex((result) => result?.error !== undefined);
    if (failed < 0) return results.map((result) => result?.rows ?? []);
    if (operations[failed]?.op === 'wait' && results[failed]?.error === 'timed out')
      return 'unmet' as const;
    throw refusal(
      `${peer.name} refuses ${JSON.stringify(operations[failed] ?? 'to commit')}`,
      results[failed],
    );
  };
  return {
    attempt,
    transact: async (operations) => {
      const results = await attempt(operations);
      if (results !== 'unmet') return results;
      throw new InputError(`${peer.name} refuses a transaction: what it waits for is not so`);
    },
    waitFor: async (what, condition, limitMs) => {
      const [result] = await execute(
        [{ op: 'wait', timeout: limitMs, ...condition }],
        limitMs + answerLimitMs,
      );
      if (result?.error === 'timed out')
        throw new Unavailable(`gave up after ${limitMs / 1000} s waiting for ${what}`);
      if (result?.error !== undefined)
        throw new InputError(`${peer.name} cannot wait for ${what}: ${describe(result)}`);
    },
    schema: async () => {
      const { result, error } = await withDeadline(
        connection.request('get_schema', [database]),
        answerLimitMs,
        `${peer.name} to send its schema`,
      );
      if (error !== null)
        throw new InputError(`${peer.name} sends no schema: ${JSON.stringify(error)}`);
      return result as DatabaseSchema;
    },
    lock: async (name) => {
      const granted = new Promise<void>((resolve) => locks.set(name, resolve));
      const { result, error } = await connection.request('lock', [name]);
      if (error !== null) throw new InputError(`${peer.name} refuses lock ${name}`);
      if ((result as { readonly locked?: unknown }).locked !== true) await granted;
    },
    close: () => connection.close(),
  };
}

/**
 * Of the disk and memory of the server ("I/O error", "resources exhausted": RFC 7047), or of what
 * it was asked for.
 */
function refusal(what: string, result: Result | null | undefined): InputError | Unavailable {
  const message = `${what}: ${describe(result)}`;
  if (result?.error === 'I/O error')
    return new Unavailable(message, [
      'make room where the folders of switches are (df -h), or name another place: ' +
        'TMPDIR=/path/to/folder',
      'raise the limit on the size of files: ulimit -f unlimited',
    ]);
  if (result?.error === 'resources exhausted')
    return new Unavailable(message, [
      'give it more memory: free -m prints how much there is, and ulimit -v what is allowed',
    ]);
  return new InputError(message);
}

function describe(result: Result | null | undefined): string {
  return [result?.error, result?.details].filter((part) => part !== undefined).join(': ');
}
