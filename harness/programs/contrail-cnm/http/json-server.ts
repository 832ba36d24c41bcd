/** A service over HTTP with JSON bodies, on a TCP port of the loopback or on a unix socket. */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined where there is none. */
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface JsonServer {
  /** `http://127.0.0.1:PORT`, or the path of the socket. */
  readonly address: string;
  close(): Promise<void>;
}

/** Where it listens: a socket's path, or any free port of the loopback. */
export type Listen = { readonly socket: string } | 'loopback';

/** A body longer than that is no request of anybody. */
const longestBody = 1024 * 1024;

/** What `answer` throws is answered with 500 and its message. */
export async function serveJson(
  listen: Listen,
  answer: (request: Request) => Promise<Answer>,
  contentType = 'application/json',
): Promise<JsonServer> {
  const server = createServer((incoming, response) => {
    void (async () => {
      const { status, body } = await answered(incoming, answer);
      response.writeHead(status, { 'Content-Type': contentType });
      response.end(body === undefined ? '' : JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (listen === 'loopback') server.listen(0, '127.0.0.1', resolve);
    else {
      rmSync(listen.socket, { force: true });
      server.listen(listen.socket, resolve);
    }
  });
  const at = server.address() as AddressInfo | string;
  return {
    address: typeof at === 'string' ? at : `http://127.0.0.1:${at.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function answered(
  incoming: IncomingMessage,
  answer: (request: Request) => Promise<Answer>,
): Promise<Answer> {
  try {
    const text = await readBody(incoming);
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    return await answer({
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: error instanceof SyntaxError ? 400 : 500, body: { Err: why } };
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming) {
    const bytes = part as Buffer;
    length += bytes.length;
    if (length > longestBody) throw new Error(`the body is longer than ${longestBody} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
