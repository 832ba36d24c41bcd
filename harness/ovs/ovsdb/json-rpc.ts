/**
 * JSON-RPC 1.0 over a unix socket, as OVSDB (RFC 7047) and unixctl speak it: JSON values follow one
 * another without a delimiter, and either side may send requests.
 */
import { connect, type NetConnectOpts } from 'node:net';
import { once } from 'node:events';
import { Unavailable } from '../../base/errors/errors.js';

/** Who is at the other end, for the words of failures. */
export interface Peer {
  /** `ovs-vswitchd of node k8s-node-1` */
  readonly name: string;
  /**
   * Asked once the peer has ended the connection: the failure of everything that was still waiting.
   */
  whyEnded(): Promise<Unavailable>;
}

/** A reply as it came: one of the two is null. */
export interface Reply {
  readonly result: unknown;
  readonly error: unknown;
}

export interface JsonRpcConnection {
  /** @throws Unavailable (from `Peer.whyEnded`) when the connection ends before the reply came. */
  request(method: string, params: readonly unknown[]): Promise<Reply>;
  close(): void;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(cause: Unavailable): void;
}

/** What comes without being asked for. */
export interface JsonRpcListener {
  notified(method: string, params: readonly unknown[]): void;
  /** The connection is over. */
  ended(cause: Unavailable): void;
}

/** Where somebody listens: the path of a unix socket, or a host's port. */
export type SocketAddress = string | { readonly host: string; readonly port: number };

/**
 * Connects to `address`. @throws NodeJS.ErrnoException (ENOENT, ECONNREFUSED) when nobody listens
 * there.
 */
export async function connectJsonRpc(
  address: SocketAddress,
  peer: Peer,
  listener?: JsonRpcListener,
): Promise<JsonRpcConnection> {
  const options: NetConnectOpts =
    typeof address === 'string' ? { path: address } : { ...address, noDelay: true };
  const socket = connect(options);
  await once(socket, 'connect');

  const waiting = new Map<unknown, Waiting>();
  const unsent: string[] = [];
  const split = jsonSplitter();
  let lastId = 0;
  let ended: Promise<Unavailable> | undefined;

  const end = (cause: Promise<Unavailable>) => {
    ended ??= cause.then((unavailable) => {
      for (const { reject } of waiting.values()) reject(unavailable);
      waiting.clear();
      listener?.ended(unavailable);
      return unavailable;
    });
    socket.destroy();
  };
  const receive = (message: Message) => {
    if (message.method === 'echo')
      socket.write(JSON.stringify({ id: message.id, result: message.params, error: null }));
    else if (message.method !== undefined)
      listener?.notified(message.method, (message.params ?? []) as readonly unknown[]);
    if (message.method !== undefined) return;
    waiting
      .get(message.id)
      ?.resolve({ result: message.result ?? null, error: message.error ?? null });
    waiting.delete(message.id);
  };
  socket.on('data', (chunk) => {
    try {
      for (const message of split(chunk)) receive(message as Message);
    } catch (error) {
      end(
        Promise.resolve(new Unavailable(`${peer.name} does not speak JSON-RPC: ${String(error)}`)),
      );
    }
  });
  socket.on('error', () => undefined); // 'close' follows
  socket.on('close', () => end(peer.whyEnded()));

  return {
    request: async (method, params) => {
      if (ended !== undefined) throw await ended;
      const id = ++lastId;
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        // What is asked in one go goes out in one piece.
        if (unsent.push(JSON.stringify({ method, params, id })) === 1)
          queueMicrotask(() => void socket.write(unsent.splice(0).join('')));
      });
    },
    close: () => end(Promise.resolve(new Unavailable(`the connection to ${peer.name} is closed`))),
  };
}

interface Message {
  readonly id: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const code = {
  quote: 0x22,
  backslash: 0x5c,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
};

/**
 * Cuts a byte stream of JSON objects and arrays into values: each call takes the next chunk and
 * returns the values that it completes. It reads bytes, not characters: those of a multi-byte
 * UTF-8 character are all above 0x7f and so never mistaken for a quote or a brace, wherever a chunk
 * ends.
 * @throws SyntaxError when the text up to the end of a value is not one JSON value.
 */
export function jsonSplitter(): (chunk: Uint8Array) => unknown[] {
  let begun: Uint8Array[] = [];
  let depth = 0;
  let where: 'outside string' | 'in string' | 'after backslash' = 'outside string';

  return (chunk) => {
    const single = begun.length === 0 ? onlyValue(chunk) : undefined;
    if (single !== undefined) return [single];
    const values: unknown[] = [];
    let start = 0;
    // Most of what daemons say is inside of strings: there it goes from one backslash to the next,
    // up to the quote.
    let [quote, backslash] = [-1, -1];
    const next = (byte: number, known: number, from: number) =>
      known >= from ? known : chunk.indexOf(byte, from) >>> 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (where === 'after backslash') where = 'in string';
      else if (where === 'in string') {
        quote = next(code.quote, quote, index);
        backslash = next(code.backslash, backslash, index);
        index = Math.min(quote, backslash, chunk.length);
        if (index === backslash) where = 'after backslash';
        else if (index === quote) where = 'outside string';
      } else if (byte === code.quote) where = 'in string';
      else if (byte === code.openBrace || byte === code.openBracket) depth++;
      else if ((byte === code.closeBrace || byte === code.closeBracket) && --depth <= 0) {
        values.push(
          JSON.parse(Buffer.concat([...begun, chunk.subarray(start, index + 1)]).toString('utf8')),
        );
        begun = [];
        depth = 0;
        start = index + 1;
      }
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    return values;
  };
}

/** The value that a chunk is, where it is just one, as most are. */
function onlyValue(chunk: Uint8Array): unknown {
  if (
    chunk[0] !== code.openBrace ||
    chunk.at(-1) !== code.closeBrace ||
    Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).includes('}{')
  )
    return undefined;
  try {
    return JSON.parse(
      Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('utf8'),
    );
  } catch {
    return undefined;
  }
}
