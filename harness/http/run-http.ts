/** HTTP on one path: a server, a proxy where there is one, and k6 where the client is. */
import type { RealCluster } from '../throughput/cluster/real-cluster.js';
import type { MeasuredPath } from '../throughput/measured-paths.js';
import { judgeHttp, type HttpResult } from '../throughput/traffic/read-k6-summary.js';
import { runK6 } from '../throughput/traffic/run-k6.js';
import type { Running } from '../throughput/traffic/run-program.js';
import { serverPort, startHttp, startProxy } from '../throughput/traffic/start-servers.js';

export const httpFaults = {
  'other-server': 'another pod answers than the one that the path leads to',
  // On one that was kept, clients ask again by themselves.
  silent: 'the server closes one in ten connections without an answer',
} as const;
export type HttpFault = keyof typeof httpFaults;

export interface HttpOptions {
  readonly k6: string;
  readonly clients: number;
  readonly seconds: number;
  readonly fault?: HttpFault;
}

export interface PathResult extends HttpResult {
  readonly path: string;
  readonly connections: 'kept' | 'one a request';
  readonly differences: readonly string[];
}

/** @throws Unavailable where a program does not start, or says nothing that is known. */
export async function runHttp(
  cluster: RealCluster,
  path: MeasuredPath,
  connections: PathResult['connections'],
  { k6, clients, seconds, fault }: HttpOptions,
): Promise<PathResult> {
  const servers: Running[] = [];
  try {
    const name = fault === 'other-server' ? 'another' : path.server;
    servers.push(
      await startHttp(cluster, path, { name, ...(fault === 'silent' ? { silent: fault } : {}) }),
    );
    servers.push(...(await startProxy(cluster, path, 0)));
    const url = `http://${path.ip}:${path.port ?? serverPort}/`;
    const load = { url, answers: path.server, clients, seconds, connections };
    const { clientNs: _, ...result } = await runK6(cluster, path.client, k6, load);
    return { path: path.name, connections, ...result, differences: judgeHttp(result) };
  } finally {
    for (const server of servers.reverse()) await server.close();
  }
}
