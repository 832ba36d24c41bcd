/**
 * Lists and watches of a Kubernetes API server (Kubernetes, "API Concepts"), over the transport of
 * Kubernetes' own client and as raw JSON: the client's typed models lose a policy's `from`, and a
 * policy without it lets in everything.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import type { KubeConfig } from '@kubernetes/client-node';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';

export interface ApiServer {
  get(path: string): Promise<IncomingMessage>;
  post(path: string, body: object): Promise<IncomingMessage>;
  /** Ends all that is under way. */
  close(): void;
}

/** How long an answer is waited for. */
const answerLimitMs = 30_000;
/** The server is asked to end a watch after this long, and it is given up a little later. */
const watchSeconds = 240;

/** An object, as far as every kind has it. */
export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

export interface Listed {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
}

export function apiServer(config: KubeConfig): ApiServer {
  const url = config.getCurrentCluster()?.server ?? '';
  const closing = new AbortController();
  const ask = async (method: string, path: string, body?: object): Promise<IncomingMessage> => {
    const options: RequestOptions = { method, signal: closing.signal };
    await config.applyToHTTPSOptions(options);
    const written = body === undefined ? undefined : JSON.stringify(body);
    options.headers = {
      ...options.headers,
      accept: 'application/json',
      ...(written === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const request = url.startsWith('http:') ? httpRequest : httpsRequest;
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(path, url), options, resolve)
        .on('error', (error) => reject(unanswered(url, error.message)))
        .end(written);
    });
    return await withDeadline(answer, answerLimitMs, `the API server at ${url} to answer`);
  };
  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    close: () => closing.abort(),
  };
}

function unanswered(what: string, why: string): Unavailable {
  return new Unavailable(`the API server does not answer: ${what}: ${why}`);
}

/** @throws Unavailable where the server does not answer with a list. */
export async function list(server: ApiServer, path: string): Promise<Listed> {
  const items: ApiObject[] = [];
  let next = '';
  for (;;) {
    const response = await server.get(`${path}?limit=500${next}`);
    const body = await withDeadline(text(response), answerLimitMs, `the list of ${path}`).catch(
      (error: unknown) => {
        throw unanswered(path, String(error));
      },
    );
    // A list that took too long to be read page by page begins again.
    if (response.statusCode === 410 && next !== '') {
      items.length = 0;
      next = '';
      continue;
    }
    if (response.statusCode !== 200)
      throw new Unavailable(
        `${path}: the API server answers ${response.statusCode}: ${body.slice(0, 300)}`,
      );
    const page = pageIn(path, body);
    items.push(...page.items);
    if (page.next === '') return { items, resourceVersion: page.resourceVersion };
    next = `&continue=${encodeURIComponent(page.next)}`;
  }
}

/** What is wrong in it is believed in no part: what is missing would look as if it were gone. */
function pageIn(path: string, body: string): Listed & { readonly next: string } {
  const { items, metadata } = decoded(path, body) as {
    readonly items?: readonly ApiObject[] | null;
    readonly metadata?: { readonly resourceVersion?: unknown; readonly continue?: string };
  };
  const version = metadata?.resourceVersion;
  if (items === undefined || typeof version !== 'string' || !/^\d+$/.test(version))
    throw new Unavailable(`${path}: the API server sends no list: ${body.slice(0, 300)}`);
  const all = items ?? [];
  for (const one of all) checkObject(path, one);
  return { items: all, resourceVersion: version, next: metadata?.continue ?? '' };
}

function checkObject(path: string, one: Partial<ApiObject> | null | undefined): void {
  if (typeof one?.metadata?.name === 'string') return;
  throw new Unavailable(
    `${path}: the API server sends an object without a name: ${JSON.stringify(one)}`,
  );
}

function decoded(path: string, line: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new Unavailable(`${path}: the API server sends what is no JSON: ${line.slice(0, 300)}`);
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: ApiObject;
}

/** What the server remembers does not reach back to the version that was asked for. */
export const gone = 'gone';

/**
 * Events behind `resourceVersion` until the server ends the watch; `gone` at last where it does not
 * remember that version any more.
 * @throws Unavailable where it does not answer, or with something else.
 */
export async function* watch(
  server: ApiServer,
  path: string,
  resourceVersion: string,
): AsyncGenerator<WatchEvent | typeof gone> {
  const query =
    `watch=1&allowWatchBookmarks=true&timeoutSeconds=${watchSeconds}` +
    `&resourceVersion=${resourceVersion}`;
  const response = await server.get(`${path}?${query}`);
  try {
    if (response.statusCode === 410) {
      yield gone;
      return;
    }
    if (response.statusCode !== 200)
      throw new Unavailable(`${path}: the API server answers a watch ${response.statusCode}`);
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    for (;;) {
      const next = lines.next().catch((error: unknown) => {
        throw unanswered(path, String(error));
      });
      const line = await withDeadline(next, 2 * watchSeconds * 1000, `news of ${path}`);
      if (line.done === true) return;
      const { type, object } = decoded(path, line.value) as {
        readonly type?: string;
        readonly object?: Partial<ApiObject> & { readonly code?: number };
      };
      if (type === 'ERROR' && object?.code === 410) {
        yield gone;
        return;
      }
      if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK')
        throw new Unavailable(`${path}: the API server reports ${line.value.slice(0, 300)}`);
      if (type !== 'BOOKMARK') checkObject(path, object);
      yield { type, object: object as ApiObject };
    }
  } finally {
    response.destroy();
  }
}
