/** Between the watcher and its API server: hands on what both say, or lies in the server's name. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { KubeApi } from './kube-api.js';

/**
 * What is said in place of the next answer to a list, or to a watch. @param truth lets the server
 * answer after all.
 */
export type Lie = (response: ServerResponse, truth: () => void) => void;

export interface LyingProxy {
  readonly url: string;
  /** Answers the next lists, or watches, of a kind of objects by lies; then by the truth again. */
  lie(to: 'list' | 'watch', plural: string, lies: readonly Lie[]): void;
  /** Ends every connection that is there, as a server does that is restarted. */
  hangUp(): void;
  /** Refuses to talk to anybody, until it is called with `up`. */
  serve(state: 'up' | 'down'): void;
  close(): Promise<void>;
}

export async function startLyingProxy(api: Pick<KubeApi, 'url'>): Promise<LyingProxy> {
  const lies = new Map<string, Lie[]>();
  const sockets = new Set<Socket>();
  let state: 'up' | 'down' = 'up';
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://proxy');
    if (state === 'down') return void response.writeHead(503).end('{"kind":"Status"}');
    const to = searchParams.get('watch') === null ? 'list' : 'watch';
    const plural = pathname.slice(pathname.lastIndexOf('/') + 1);
    const lie = request.method === 'GET' ? lies.get(`${to} ${plural}`)?.shift() : undefined;
    const truth = () => {
      const forward = api.url.startsWith('https:') ? httpsRequest : httpRequest;
      const { host: _, ...headers } = request.headers;
      const onward = forward(
        new URL(request.url ?? '', api.url),
        { method: request.method, headers, rejectUnauthorized: false },
        (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          response.flushHeaders();
          answer.pipe(response);
          answer.on('error', () => response.destroy());
        },
      );
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      request.pipe(onward);
    };
    if (lie === undefined) truth();
    else lie(response, truth);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const hangUp = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${port}`,
    lie: (to, plural, said) => void lies.set(`${to} ${plural}`, [...said]),
    hangUp,
    serve: (wanted) => {
      state = wanted;
      if (wanted === 'down') hangUp();
    },
    close: async () => {
      hangUp();
      server.close();
      await once(server, 'close');
    },
  };
}
