/** Lists and watches of a Kubernetes API server, as raw JSON (Kubernetes, "API Concepts"). */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { Unavailable } from '../../base/errors/errors.js';

export interface ApiServer {
  readonly api: string;
  readonly token?: string | undefined;
  readonly ca?: string | undefined;
  readonly insecure: boolean;
}

/** An object, as far as every kind has it. */
export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
  };
}

export interface Listed {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
}

/** @throws Unavailable where the server does not answer with a list. */
export async function list(server: ApiServer, path: string): Promise<Listed> {
  const items: ApiObject[] = [];
  let next = '';
  for (;;) {
    const response = await get(server, `${path}?limit=500${next}`);
    const body = await text(response);
    if (response.statusCode !== 200)
      throw new Unavailable(`${path}: the API server answers ${response.statusCode}: ${body}`);
    const page = JSON.parse(body) as {
      readonly items?: readonly ApiObject[] | null;
      readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
    };
    items.push(...(page.items ?? []));
    const { continue: token, resourceVersion } = page.metadata;
    if (token === undefined || token === '') return { items, resourceVersion };
    next = `&continue=${encodeURIComponent(token)}`;
  }
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject & { readonly code?: number };
}

/**
 * Events behind `resourceVersion` until the server ends the watch; an event of type ERROR with code
 * 410 where it does not remember that version any more.
 */
export async function* watch(
  server: ApiServer,
  path: string,
  resourceVersion: string,
): AsyncGenerator<WatchEvent> {
  const since = encodeURIComponent(resourceVersion);
  const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${since}`;
  const response = await get(server, `${path}?${query}`);
  if (response.statusCode !== 200) {
    response.resume();
    yield {
      type: 'ERROR',
      object: { metadata: { name: '' }, code: response.statusCode ?? 0 },
    };
    return;
  }
  for await (const line of createInterface({ input: response }))
    if (line !== '') yield JSON.parse(line) as WatchEvent;
}

async function get(server: ApiServer, path: string): Promise<IncomingMessage> {
  const { api, token, ca, insecure } = server;
  const url = new URL(path, api);
  const request = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const certificates = ca === undefined ? {} : { ca: await readFile(ca) };
  return await new Promise((resolve, reject) => {
    request(
      url,
      {
        ...certificates,
        rejectUnauthorized: !insecure,
        headers: {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      },
      resolve,
    )
      .on('error', (error) =>
        reject(new Unavailable(`the API server does not answer at ${api}: ${error.message}`)),
      )
      .end();
  });
}
