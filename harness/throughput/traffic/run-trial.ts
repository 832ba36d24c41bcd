/** One trial: traffic on a path for a second or more, and what it needed. */
import { systemProgram } from '../../ovs/process/system-program.js';
import { assert, Unavailable } from '../../base/errors/errors.js';
import type { RealCluster } from '../cluster/real-cluster.js';
import { measureOf, type MeasureName, type Trial } from '../measures.js';
import type { TrafficPath } from '../reference-paths.js';
import { asFastAsItCan, clientArguments, readIperf3 } from './iperf3.js';
import { connectProgram, datagramProgram } from './programs.js';
import { judgeHttp } from './read-k6-summary.js';
import { runK6 } from './run-k6.js';
import type { ServerDelay } from './server-delay.js';
import { runToItsEnd, type Command, type Running } from './run-program.js';
import { serverPort, startAccepting, startHttp, startIperf3, startProxy } from './start-servers.js';

export interface TrialSettings {
  /** How iperf3 is started. */
  readonly iperf3: Command;
  /** The program; requests need it. */
  readonly k6?: string | undefined;
  readonly seconds: number;
  /** A fault: how long the proxy waits before it dials. */
  readonly proxyPauseMs?: number;
  readonly serverDelay?: ServerDelay;
}

const udpBytes = 1200;

/** @throws Unavailable where nothing arrives. */
export async function runTrial(
  cluster: RealCluster,
  path: TrafficPath,
  measure: MeasureName,
  settings: TrialSettings,
): Promise<Trial> {
  const servers: Running[] = [];
  try {
    await startServers(cluster, path, measure, settings, servers);
    const [server, proxy] = servers;
    await sendBefore(cluster, path);
    const before = await useOf(cluster, servers);
    const { serverNs, ...measured } = await clientOf(cluster, path, measure, settings);
    const now = await useOf(cluster, servers);
    if (!(measured.units > 0))
      throw new Unavailable(`path ${path.name}: nothing of ${measure} has arrived`, []);
    const had = (of: Running | undefined) =>
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

/** Those that have started are in `servers` where another one does not. */
export async function startServers(
  cluster: RealCluster,
  path: TrafficPath,
  measure: MeasureName,
  settings: TrialSettings,
  servers: Running[],
): Promise<void> {
  servers.push(await serverOf(cluster, path, measure, settings));
  servers.push(...(await startProxy(cluster, path, settings.proxyPauseMs ?? 0)));
}

export async function sendBefore(cluster: RealCluster, path: TrafficPath): Promise<void> {
  const { name, client, ip, portsBefore = [] } = path;
  if (portsBefore.length === 0) return;
  const command = cluster.inHost(client, [
    ...([systemProgram('perl'), '-e', datagramProgram, ip] as const),
    ...portsBefore.map(String),
  ]);
  await runToItsEnd(`datagrams before path ${name}`, command, 1);
}

async function useOf(cluster: RealCluster, servers: readonly Running[]) {
  const [switches, counted, ...each] = await Promise.all([
    cluster.used(),
    cluster.countedWork(),
    ...servers.map(async (server) => [server, await server.used()] as const),
  ]);
  return { switches, counted, servers: new Map(each) };
}

function serverOf(
  cluster: RealCluster,
  path: TrafficPath,
  measure: MeasureName,
  { iperf3, serverDelay }: TrialSettings,
): Promise<Running> {
  const { counts } = measureOf(measure);
  switch (counts) {
    case 'connections':
      return startAccepting(cluster, path, serverDelay);
    case 'requests':
      return startHttp(cluster, path, { name: path.server, delay: serverDelay });
    case 'segments':
    case 'datagrams':
      return startIperf3(cluster, path, iperf3);
  }
}

type ClientTrial = Pick<Trial, 'units' | 'seconds' | 'clientNs'> & {
  /** Where the client says what its server had. */
  readonly serverNs?: number;
};

function clientOf(
  cluster: RealCluster,
  path: TrafficPath,
  measure: MeasureName,
  settings: TrialSettings,
): Promise<ClientTrial> {
  const { counts } = measureOf(measure);
  switch (counts) {
    case 'connections':
      return connectionsOf(cluster, path, measure, settings);
    case 'requests':
      return requestsOf(cluster, path, measure, settings);
    case 'segments':
    case 'datagrams':
      return iperf3Of(cluster, path, measure, settings);
  }
}

async function connectionsOf(
  cluster: RealCluster,
  { name, client, ip, port = serverPort }: TrafficPath,
  measure: MeasureName,
  { seconds }: TrialSettings,
): Promise<ClientTrial> {
  const args = [ip, port, seconds, measureOf(measure).clients ?? 1].map(String);
  const command = cluster.inHost(client, [
    ...([systemProgram('perl'), '-e', connectProgram] as const),
    ...args,
  ]);
  const printed = await runToItsEnd(`the client of path ${name}`, command, seconds);
  const [units = 0, took = 0, processors = 0] = printed.split(' ').map(Number);
  return { units, seconds: took, clientNs: processors * 1e9 };
}

/** Requests that fail are no requests a second: then nothing was measured. */
async function requestsOf(
  cluster: RealCluster,
  { name, client, server, ip, port = serverPort }: TrafficPath,
  measure: MeasureName,
  { k6, seconds }: TrialSettings,
): Promise<ClientTrial> {
  assert(k6 !== undefined, 'k6 is there where requests are measured');
  const { clientNs, ...result } = await runK6(cluster, client, k6, {
    url: `http://${ip}:${port}/`,
    answers: server,
    clients: measureOf(measure).clients ?? 1,
    seconds,
    connections: 'kept',
  });
  const [failure] = judgeHttp(result);
  if (failure !== undefined) throw new Unavailable(`path ${name}: ${failure}`, []);
  const { requests: units, requestsPerSecond } = result;
  return { units, seconds: units / requestsPerSecond, clientNs };
}

async function iperf3Of(
  cluster: RealCluster,
  { name, client, ip, port = serverPort }: TrafficPath,
  measure: MeasureName,
  { iperf3, seconds }: TrialSettings,
): Promise<ClientTrial> {
  const { iperf3: traffic = {}, counts } = measureOf(measure);
  const { datagramsPerSecond: rate, ...others } = traffic;
  const bitsPerSecond = typeof rate === 'number' ? rate * udpBytes * 8 : asFastAsItCan;
  const protocol = rate === undefined ? ('TCP' as const) : { udpBytes, bitsPerSecond };
  const call = clientArguments({ ip, port, protocol, seconds, ...others });
  const priority = counts === 'datagrams' ? 'sender' : 'others';
  const command = cluster.inHost(client, [...iperf3, ...call], priority);
  const result = readIperf3(await runToItsEnd(`the client of path ${name}`, command, seconds));
  const units =
    counts === 'segments'
      ? result.bytes / segmentBytes
      : result.datagrams.sent - result.datagrams.lost;
  const { clientNs, serverNs } = result;
  return { units, seconds: result.seconds, clientNs, serverNs };
}

/** Data of a segment where packets have 1,450 bytes at most, and timestamps are sent. */
export const segmentBytes = 1398;
