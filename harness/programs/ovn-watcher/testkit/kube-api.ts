/** A Kubernetes API server for tests: a real one where one has been built, else a stand-in. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { assert } from '../../../base/errors/errors.js';
import { onPath } from '../../../base/files/on-path.js';
import { startRealApi } from './real-api.js';
import { startStandIn } from './stand-in-api.js';
import type { StartedApi } from './started-api.js';

export interface KubeApi extends StartedApi {
  /** Which it is, as a report says it. */
  readonly name: string;
  /** @returns the status and the decoded answer. */
  ask(method: string, path: string, body?: object): Promise<{ code: number; body: unknown }>;
}

/** @param program kube-apiserver, where there is one. */
export async function openKubeApi(dir: string, program: string | undefined): Promise<KubeApi> {
  const etcd = await onPath('etcd');
  const isReal = program !== undefined && etcd !== undefined;
  const started = isReal ? await startRealApi(dir, program, etcd) : await startStandIn();
  return {
    ...started,
    name: isReal
      ? 'kube-apiserver, with etcd'
      : `a stand-in: ${program === undefined ? 'no kube-apiserver is built' : 'no etcd on PATH'}`,
    ask: (method, path, body) => ask(started, method, path, body),
  };
}

async function ask(
  { url, token }: Pick<KubeApi, 'url' | 'token'>,
  method: string,
  path: string,
  body?: object,
): Promise<{ code: number; body: unknown }> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  const kind = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return await new Promise((resolve, reject) => {
    request(
      new URL(path, url),
      {
        method,
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token}`, 'content-type': kind },
      },
      (response) => {
        text(response).then((said) => {
          assert(response.statusCode !== undefined, 'an answer has a status');
          resolve({ code: response.statusCode, body: JSON.parse(said) as unknown });
        }, reject);
      },
    )
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}
