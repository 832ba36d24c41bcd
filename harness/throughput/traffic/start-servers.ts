/** What answers on a path: servers, and the proxy where it has one. */
import type { RealCluster } from '../cluster/real-cluster.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { TrafficPath } from '../reference-paths.js';
import { listens, serverArguments } from './iperf3.js';
import { acceptProgram, httpServerProgram, relayProgram } from './programs.js';
import { startServer, type Command, type Running } from './run-program.js';

/** The port that servers listen at; echo's in the model. */
export const serverPort = 7;

const listening = /listening/;

/** Takes connections, and ends each when its client does. */
export function startAccepting(cluster: RealCluster, path: TrafficPath): Promise<Running> {
  const command = [systemProgram('perl'), '-e', acceptProgram, String(serverPort)] as const;
  return startAt(cluster, path, command, listening);
}

export function startIperf3(
  cluster: RealCluster,
  path: TrafficPath,
  iperf3: Command,
): Promise<Running> {
  return startAt(cluster, path, [...iperf3, ...serverArguments(serverPort)], listens);
}

/**
 * @param name what it answers with.
 * @param silent one request in ten is not answered: a fault.
 */
export function startHttp(
  cluster: RealCluster,
  path: TrafficPath,
  name: string,
  silent: 'silent' | 'never' = 'never',
): Promise<Running> {
  const args = ['-e', httpServerProgram, '--', name, String(serverPort), silent] as const;
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
