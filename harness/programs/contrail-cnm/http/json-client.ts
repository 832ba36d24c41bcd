/** Asks a service over HTTP with JSON bodies. */
import { request } from 'node:http';
import { withDeadline } from '../../../base/concurrency/deadline.js';
import { Unavailable } from '../../../base/errors/errors.js';
import type { Answer } from './json-server.js';

/** A service, and what messages call it. */
export interface Service {
  readonly name: string;
  /** `http://127.0.0.1:8082`, or the path of a unix socket. */
  readonly address: string;
  /** How long an answer may take; 30 seconds where it is missing. */
  readonly limitMs?: number;
}

const usualLimitMs = 30_000;

/** @throws Unavailable where nobody answers, or nobody in time. */
export async function askJson(
  { name, address, limitMs = usualLimitMs }: Service,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const place = address.startsWith('/')
    ? { socketPath: address, path, host: 'localhost' }
    : { ...placeOf(address), path };
  let abandon = (): void => undefined;
  const answer = new Promise<Answer>((resolve, reject) => {
    const asked = request(
      {
        ...place,
        method,
        headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
        agent: false,
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const said = Buffer.concat(parts).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body: readJson(said) });
        });
      },
    );
    asked.on('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'ECONNREFUSED' || error.code === 'ENOENT'
          ? 'nobody is there'
          : error.message;
      reject(new Unavailable(`${name} at ${address} does not answer ${method} ${path}: ${why}`));
    });
    abandon = () => asked.destroy();
    asked.end(text);
  });
  try {
    return await withDeadline(answer, limitMs, `${name} at ${address} to answer ${method} ${path}`);
  } finally {
    abandon();
  }
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(address);
  return { host: hostname, port: Number(port) };
}

/** What is no JSON stays text: an error page, say. */
function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
