/** One trial: traffic on a path for a second or more, and what it needed. */
import { systemProgram } from '../../ovs/process/system-program.js';
import { Unavailable } from '../../base/errors/errors.js';
import type { RealCluster } from '../cluster/real-cluster.js';
import { measureOf, type MeasureName, type Trial } from '../measures.js';
import type { TrafficPath } from '../reference-paths.js';
import { asFastAsItCan, clientArguments, listens, readIperf3, serverArguments } from './iperf3.js';
import { acceptProgram, connectProgram, relayProgram } from './programs.js';
import { runToItsEnd, startServer, type Command, type Server } from './run-program.js';

export interface TrialSettings {
  /** How iperf3 is started. */
  readonly iperf3: Command;
  readonly seconds: number;
  /** A fault: how long the proxy waits before it dials. */
  readonly proxyPauseMs?: number;
}

/** The port that servers listen at; echo's in the model. */
const serverPort = 7;
const udpBytes = 1200;
/** So many that a switch never waits for one of them. */
const connectionsAtOnce = 16;

/** @throws Unavailable where nothing arrives. */
export async function runTrial(
  cluster: RealCluster,
  path: TrafficPath,
  measure: MeasureName,
  settings: TrialSettings,
): Promise<Trial> {
  const servers: Server[] = [];
  try {
    servers.push(await serverOf(cluster, path, measure, settings));
    if (path.proxy !== undefined)
      servers.push(await proxyOf(cluster, path.proxy, path, settings.proxyPauseMs ?? 0));
    const [server, proxy] = servers;
    const before = await useOf(cluster, servers);
    const { serverNs, ...measured } = await clientOf(cluster, path, measure, settings);
    const now = await useOf(cluster, servers);
    if (!(measured.units > 0))
      throw new Unavailable(`path ${path.name}: nothing of ${measure} has arrived`, []);
    const had = (of: Server | undefined) =>
      of === undefined ? 0 : (now.servers.get(of) ?? 0) - (before.servers.get(of) ?? 0);
    return {
      ...measured,
      lookups:
        now.counted === undefined || before.counted === undefined
          ? undefined
          : now.counted.lookups - before.counted.lookups,
      switchNs: now.switches.ns - before.switches.ns,
      polls: now.switches.polls - before.switches.polls,
      probes: now.switches.probes - before.switches.probes,
      serverNs: serverNs ?? had(server),
      proxyNs: had(proxy),
    };
  } finally {
    for (const server of servers.reverse()) await server.close();
  }
}

async function useOf(cluster: RealCluster, servers: readonly Server[]) {
  const [switches, counted, ...each] = await Promise.all([
    cluster.used(),
    cluster.countedWork(),
    ...servers.map(async (server) => [server, await server.used()] as const),
  ]);
  return { switches, counted, servers: new Map(each) };
}

async function serverOf(
  cluster: RealCluster,
  { name, server }: TrafficPath,
  measure: MeasureName,
  { iperf3 }: TrialSettings,
): Promise<Server> {
  const [command, ready] =
    measureOf(measure).iperf3 === undefined
      ? [[systemProgram('perl'), '-e', acceptProgram, String(serverPort)] as const, /listening/]
      : [[...iperf3, ...serverArguments(serverPort)] as const, listens];
  const started = cluster.inHost(server, command);
  return await startServer(`the server of path ${name}`, started, ready);
}

async function proxyOf(
  cluster: RealCluster,
  node: string,
  { name, ip, port = serverPort, server }: TrafficPath,
  pauseMs: number,
): Promise<Server> {
  const to = addressOf(cluster, server);
  const args = [ip, String(port), to, String(serverPort), String(pauseMs)];
  const command = cluster.inHost(node, [process.execPath, '-e', relayProgram, '--', ...args]);
  return await startServer(`the proxy of path ${name}`, command, /listening/);
}

function addressOf({ plan }: RealCluster, host: string): string {
  const hosts = [...plan.nodes.flatMap((node) => node.hosts), ...(plan.externalHosts ?? [])];
  return hosts.find(({ name }) => name === host)?.interfaces[0]?.ip ?? host;
}

type ClientTrial = Pick<Trial, 'units' | 'seconds' | 'clientNs'> & {
  /** Where the client says what its server had. */
  readonly serverNs?: number;
};

async function clientOf(
  cluster: RealCluster,
  { name, client, ip, port = serverPort }: TrafficPath,
  measure: MeasureName,
  { iperf3, seconds }: TrialSettings,
): Promise<ClientTrial> {
  const { iperf3: traffic, counts } = measureOf(measure);
  const priority = counts === 'datagrams' ? 'sender' : 'others';
  const run = async (command: Command) =>
    await runToItsEnd(
      `the client of path ${name}`,
      cluster.inHost(client, command, priority),
      seconds,
    );
  if (traffic === undefined) {
    const args = [ip, port, seconds, connectionsAtOnce].map(String);
    const printed = await run([systemProgram('perl'), '-e', connectProgram, ...args]);
    const [units = 0, took = 0, processors = 0] = printed.split(' ').map(Number);
    return { units, seconds: took, clientNs: processors * 1e9 };
  }
  const { datagramsPerSecond: rate, ...others } = traffic;
  const bitsPerSecond = typeof rate === 'number' ? rate * udpBytes * 8 : asFastAsItCan;
  const protocol = rate === undefined ? ('TCP' as const) : { udpBytes, bitsPerSecond };
  const call = { ip, port, protocol, seconds, ...others };
  const result = readIperf3(await run([...iperf3, ...clientArguments(call)]));
  const units =
    counts === 'segments'
      ? result.bytes / segmentBytes
      : result.datagrams.sent - result.datagrams.lost;
  const { clientNs, serverNs } = result;
  return { units, seconds: result.seconds, clientNs, serverNs };
}

/** Data of a segment where packets have 1,450 bytes at most, and timestamps are sent. */
export const segmentBytes = 1398;
