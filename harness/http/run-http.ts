/** HTTP on one path: a server, a proxy where there is one, and k6 where the client is. */
import { writeFile } from 'node:fs/promises';
import { within } from '../base/files/path-part.js';
import type { RealCluster } from '../throughput/cluster/real-cluster.js';
import type { MeasuredPath } from '../throughput/measured-paths.js';
import { relayProgram } from '../throughput/traffic/programs.js';
import { runToItsEnd, startServer, type Server } from '../throughput/traffic/run-program.js';
import { k6Script } from './k6-script.js';
import { judgeHttp, readSummary, type HttpResult } from './read-summary.js';

export const httpFaults = {
  'other-server': 'another pod answers than the one that the path leads to',
  // On one that was kept, clients ask again by themselves.
  silent: 'the server closes one in ten connections without an answer',
} as const;
export type HttpFault = keyof typeof httpFaults;

export interface HttpOptions {
  readonly k6: string;
  /** Where the script is written. */
  readonly folder: string;
  readonly clients: number;
  readonly seconds: number;
  readonly fault?: HttpFault;
}

export interface PathResult extends HttpResult {
  readonly path: string;
  readonly connections: 'kept' | 'one a request';
  readonly differences: readonly string[];
}

/** The port that pods listen at. */
const serverPort = 7;

/** Answers with the name of the pod; NAME PORT SILENT. */
const serverProgram = String.raw`
const [name, port, silent] = process.argv.slice(1);
let count = 0;
require('node:http').createServer((request, answer) => {
  if (silent === 'silent' && ++count % 10 === 0) request.socket.destroy();
  else answer.end(name + '\n');
}).listen(Number(port), () => console.log('listening'));`;

/** @throws Unavailable where a program does not start, or says nothing that is known. */
export async function runHttp(
  cluster: RealCluster,
  path: MeasuredPath,
  connections: PathResult['connections'],
  { k6, folder, clients, seconds, fault }: HttpOptions,
): Promise<PathResult> {
  const servers: Server[] = [];
  const node = (host: string, program: string, args: readonly string[]) =>
    cluster.inHost(host, [process.execPath, '-e', program, '--', ...args]);
  try {
    const name = fault === 'other-server' ? 'another' : path.server;
    servers.push(
      await startServer(
        `the server of path ${path.name}`,
        node(path.server, serverProgram, [name, String(serverPort), fault ?? '']),
        /listening/,
      ),
    );
    const port = path.port ?? serverPort;
    if (path.proxy !== undefined) {
      const args = [path.ip, port, addressOf(cluster, path.server), serverPort, 0].map(String);
      const command = node(path.proxy, relayProgram, args);
      servers.push(await startServer(`the proxy of path ${path.name}`, command, /listening/));
    }
    const url = `http://${path.ip}:${port}/`;
    const script = within(folder, path.name, '.js');
    await writeFile(script, k6Script({ url, answers: path.server, clients, seconds, connections }));
    const command = cluster.inHost(path.client, ['env', ...quiet, k6, 'run', ...options, script]);
    const result = readSummary(await runToItsEnd(`k6 on path ${path.name}`, command, seconds));
    return { path: path.name, connections, ...result, differences: judgeHttp(result) };
  } finally {
    for (const server of servers.reverse()) await server.close();
  }
}

/** It asks nobody outside for anything, and listens nowhere that others do. */
const quiet = ['K6_NO_USAGE_REPORT=true', 'K6_AUTO_EXTENSION_RESOLUTION=false'] as const;
const options = ['--quiet', '--no-color', '--address=127.0.0.1:0'] as const;

function addressOf({ plan }: RealCluster, host: string): string {
  const hosts = plan.nodes.flatMap((node) => node.hosts);
  return hosts.find(({ name }) => name === host)?.interfaces[0]?.ip ?? host;
}
