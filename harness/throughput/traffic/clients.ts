/** Clients that go on asking until they are ended. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../base/errors/errors.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { Priority } from '../cluster/priority.js';
import type { RealCluster } from '../cluster/real-cluster.js';
import { measureOf, type MeasureName } from '../measures.js';
import type { TrafficPath } from '../reference-paths.js';
import { clientArguments } from './iperf3.js';
import { k6Environment, k6Options, k6Script } from './k6-script.js';
import { reconnectProgram } from './programs.js';
import { startProgram, type Command, type Running } from './run-program.js';
import type { TrialSettings } from './run-trial.js';
import { serverPort } from './start-servers.js';
import { scratchFolder } from '../../ovs/workspace/workspace.js';

/**
 * What is under way when a turn ends is carried in that of another path: it is to be little. But
 * with half of this, bulk across nodes took up to a third longer than processors need.
 */
const windowBytes = 131_072;

/** Longer than anything is measured. */
const longSeconds = 3600;

export async function startClients(
  cluster: RealCluster,
  path: TrafficPath,
  measure: MeasureName,
  settings: TrialSettings,
): Promise<readonly Running[]> {
  const start = (command: Command, priority: Priority = 'others') =>
    startProgram(`a client of path ${path.name}`, cluster.inHost(path.client, command, priority));
  const { counts, clients = 1 } = measureOf(measure);
  assert(counts !== 'datagrams', 'they are not sent in slices');
  switch (counts) {
    case 'connections': {
      const { ip, port = serverPort } = path;
      const words = [systemProgram('perl'), '-e', reconnectProgram, ip, String(port)] as const;
      return Array.from({ length: clients }, () => start(words));
    }
    case 'requests':
      return [await startK6(path, clients, settings, (command) => start(command, 'sender'))];
    case 'segments':
      return [start(iperf3Client(path, measure, settings))];
  }
}

function iperf3Client(
  { ip, port = serverPort }: TrafficPath,
  measure: MeasureName,
  { iperf3 }: TrialSettings,
): Command {
  const { iperf3: traffic = {} } = measureOf(measure);
  const call = {
    ip,
    port,
    protocol: 'TCP',
    seconds: longSeconds,
    windowBytes,
    ...traffic,
  } as const;
  return [...iperf3, ...clientArguments(call)];
}

async function startK6(
  { server, ip, port = serverPort }: TrafficPath,
  clients: number,
  { k6 }: TrialSettings,
  start: (command: Command) => Running,
): Promise<Running> {
  assert(k6 !== undefined, 'k6 is there where requests are measured');
  const folder = await scratchFolder();
  const script = join(folder, 'requests.js');
  const url = `http://${ip}:${port}/`;
  const load = { url, answers: server, clients, seconds: longSeconds } as const;
  await writeFile(script, k6Script({ ...load, connections: 'kept', onFailure: 'end' }));
  const running = start(['env', ...k6Environment, k6, 'run', ...k6Options, script]);
  const close = async () => {
    await running.close();
    await rm(folder, { recursive: true });
  };
  return { ...running, close };
}
