/**
 * As much of a Kubernetes API server as the watcher asks: objects by path, lists with versions,
 * watches as lines of JSON. Its answers are worded as kube-apiserver 1.35 words them.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { StartedApi } from './started-api.js';

interface Stored {
  readonly [field: string]: unknown;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly annotations?: object;
  };
}

interface Event {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly path: string;
  readonly object: Stored;
}

export async function startStandIn(): Promise<StartedApi> {
  const store = emptyStore();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
    const answer = (code: number, body: object) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    void text(request).then((said) => {
      const body = said === '' ? undefined : (JSON.parse(said) as Stored);
      if (request.method !== 'GET') answer(...store.change(request.method ?? '', pathname, body));
      else if (searchParams.get('watch') === null) answer(200, store.list(pathname));
      else store.watch(pathname, Number(searchParams.get('resourceVersion')), response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: 'flowbed',
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function emptyStore() {
  const objects = new Map<string, Stored>();
  const events: Event[] = [];
  const watches = new Set<{ readonly path: string; readonly response: ServerResponse }>();
  const happen = (type: Event['type'], key: string, object: Stored): Stored => {
    const version = events.length + 1;
    const stored = {
      ...object,
      metadata: { uid: `uid-${key}`, ...object.metadata, resourceVersion: String(version) },
    };
    const event: Event = { version, type, path: key, object: stored };
    events.push(event);
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, stored);
    for (const { path, response } of watches) if (isUnder(key, path)) send(response, event);
    return stored;
  };
  happen('ADDED', '/api/v1/namespaces/default', { metadata: { name: 'default' } });
  return {
    list: (path: string): object => ({
      kind: 'List',
      metadata: { resourceVersion: String(events.length) },
      items: [...objects].filter(([key]) => isUnder(key, path)).map(([, object]) => object),
    }),
    watch: (path: string, since: number, response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      for (const event of events)
        if (event.version > since && isUnder(event.path, path)) send(response, event);
      const watch = { path, response };
      watches.add(watch);
      response.once('close', () => watches.delete(watch));
    },
    change: (method: string, path: string, body: Stored | undefined): [number, object] => {
      const held = objects.get(path);
      if (method === 'POST' && body !== undefined) {
        const key = `${path}/${body.metadata.name}`;
        const [, namespace] = /\/namespaces\/([^/]+)\//.exec(key) ?? [];
        const own = namespace === undefined ? {} : { namespace };
        if (objects.has(key)) return [409, { reason: 'AlreadyExists' }];
        return [201, happen('ADDED', key, { ...body, metadata: { ...own, ...body.metadata } })];
      }
      if (held === undefined) return [404, { reason: 'NotFound' }];
      if (method === 'DELETE') return [200, happen('DELETED', path, held)];
      return [200, happen('MODIFIED', path, merged(held, body ?? {}) as Stored)];
    },
  };
}

/** Lists of all namespaces have none in their path. */
function isUnder(key: string, path: string): boolean {
  const kind = path.slice(path.lastIndexOf('/') + 1);
  if (path.includes('/namespaces/')) return key.startsWith(`${path}/`);
  const [, last] = /\/([a-z]+)\/[^/]+$/.exec(key) ?? [];
  return last === kind;
}

function send(response: ServerResponse, { type, object }: Event): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

/** JSON merge patch (RFC 7396). */
function merged(held: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const before = typeof held === 'object' && held !== null && !Array.isArray(held) ? held : {};
  const next: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete next[key];
    else next[key] = merged(next[key], value);
  return next;
}
