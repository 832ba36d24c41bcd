/** What answers on a path: servers, and the proxy where it has one. */
import type { RealCluster } from '../cluster/real-cluster.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { TrafficPath } from '../reference-paths.js';
import { listens, serverArguments } from './iperf3.js';
import { acceptProgram, httpServerProgram, relayProgram } from './programs.js';
import type { ServerDelay } from './server-delay.js';
import { startServer, type Command, type Running } from './run-program.js';

/** The port that servers listen at; echo's in the model. */
export const serverPort = 7;

const listening = /listening/;

/** Takes connections, and ends each when its client does. */
export function startAccepting(
  cluster: RealCluster,
  path: TrafficPath,
  delay?: ServerDelay,
): Promise<Running> {
  const words = [String(serverPort), ...delayWords(delay)] as const;
  const command = [systemProgram('perl'), '-e', acceptProgram, ...words] as const;
  return startAt(cluster, path, command, listening);
}

export function startIperf3(
  cluster: RealCluster,
  path: TrafficPath,
  iperf3: Command,
): Promise<Running> {
  return startAt(cluster, path, [...iperf3, ...serverArguments(serverPort)], listens);
}

export interface HttpServer {
  /** What it answers with. */
  readonly name: string;
  /** One request in ten is not answered: a fault. */
  readonly silent?: 'silent' | 'never';
  readonly delay?: ServerDelay | undefined;
}

export function startHttp(
  cluster: RealCluster,
  path: TrafficPath,
  { name, silent = 'never', delay }: HttpServer,
): Promise<Running> {
  const words = [name, String(serverPort), silent, ...delayWords(delay)];
  const args = ['-e', httpServerProgram, '--', ...words] as const;
  return startAt(cluster, path, [process.execPath, ...args], listening);
}

/** @param pauseMs how long it waits before it connects: a fault. */
export async function startProxy(
  cluster: RealCluster,
  { name, ip, port = serverPort, server, proxy }: TrafficPath,
  pauseMs: number,
): Promise<readonly Running[]> {
  if (proxy === undefined) return [];
  const to = addressOf(cluster, server);
  const args = [ip, port, to, serverPort, pauseMs].map(String);
  const command = cluster.inHost(proxy, [process.execPath, '-e', relayProgram, '--', ...args]);
  return [await startServer(`the proxy of path ${name}`, command, listening)];
}

function delayWords(delay: ServerDelay | undefined): readonly [kind: string, microseconds: string] {
  return [delay?.kind ?? 'never', String(delay?.microseconds ?? 0)];
}

function startAt(
  cluster: RealCluster,
  { name, server }: TrafficPath,
  command: Command,
  ready: RegExp,
): Promise<Running> {
  return startServer(`the server of path ${name}`, cluster.inHost(server, command), ready);
}

function addressOf({ plan }: RealCluster, host: string): string {
  const hosts = [...plan.nodes.flatMap((node) => node.hosts), ...(plan.externalHosts ?? [])];
  return hosts.find(({ name }) => name === host)?.interfaces[0]?.ip ?? host;
}
