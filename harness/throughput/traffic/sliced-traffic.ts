/**
 * Traffic on several paths that run in turn, each for a twentieth of a second at a time: what slows
 * the machine for a moment then slows all of them.
 */
import { readFile } from 'node:fs/promises';
import { awaitAll } from '../../base/concurrency/await-all.js';
import { until } from '../../base/concurrency/until.js';
import { assert } from '../../base/errors/errors.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import { withPriority, type Scheduling } from '../cluster/priority.js';
import type { RealCluster } from '../cluster/real-cluster.js';
import type { MeasureName, Trial } from '../measures.js';
import { carriedIn, nodesOf, type PlannedPath } from '../planned-path.js';
import { startClients } from './clients.js';
import { turnsProgram } from './programs.js';
import { runToItsEnd, type Running } from './run-program.js';
import { sendBefore, startServers, type TrialSettings } from './run-trial.js';

/** What traffic has needed so far. */
type Use = Omit<Trial, 'seconds' | 'units'> & { readonly lookups: number };

/** Stopped, but in its turns. */
export interface SlicedTraffic {
  readonly planned: PlannedPath;
  readonly scheduling: Scheduling;
  /** In the order that they go on in. */
  readonly pids: readonly number[];
  /** What a switch is to have cached. */
  sendBefore(): Promise<void>;
  used(): Promise<Use>;
  close(): Promise<void>;
}

export const sliceSeconds = 0.05;
/** A switch forgets cached flows that nothing has used for ten seconds (`max-idle`). */
const cachedSeconds = 5;
const limitMs = 60_000;
/** So much comes through where everything answers. */
const enough = 1000;

/** It is stopped then. @throws Unavailable where nothing arrives. */
export async function startSliced(
  cluster: RealCluster,
  planned: PlannedPath,
  measure: MeasureName,
  settings: TrialSettings,
): Promise<SlicedTraffic> {
  const { path } = planned;
  const nodes = nodesOf(cluster.plan, path);
  const servers: Running[] = [];
  const clients: Running[] = [];
  const close = async () => {
    for (const one of [...clients, ...servers]) await one.close();
  };
  const lookups = async () => {
    const counted = await cluster.countedWork(nodes);
    assert(counted !== undefined, 'the datapaths count');
    return counted.lookups;
  };
  const used = async (): Promise<Use> => {
    const [switches, counted, clientNs, [serverNs = 0, proxyNs = 0]] = await awaitAll([
      cluster.used(nodes),
      lookups(),
      awaitAll(clients.map((client) => client.used())),
      awaitAll(servers.map((server) => server.used())),
    ]);
    const { ns: switchNs, polls, probes } = switches;
    const all = clientNs.reduce((sum, ns) => sum + ns, 0);
    return { lookups: counted, switchNs, polls, probes, clientNs: all, serverNs, proxyNs };
  };
  try {
    await startServers(cluster, path, measure, settings, servers);
    const before = await lookups();
    clients.push(...(await startClients(cluster, path, measure, settings)));
    await until(`traffic on path ${path.name}`, limitMs, async () =>
      (await used()).lookups > before + enough ? [] : ['nothing arrives'],
    );
    const pids = [...servers, ...clients].map(({ pid }) => pid);
    for (const pid of [...pids].reverse()) process.kill(pid, 'SIGSTOP');
    await areStopped(pids);
    const { scheduling } = cluster;
    return { planned, scheduling, pids, sendBefore: () => sendBefore(cluster, path), used, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A signal is heard once a process comes out of the kernel. */
async function areStopped(pids: readonly number[]): Promise<void> {
  await until('traffic to stop', limitMs, async () => {
    const states = await awaitAll(pids.map(stateOf));
    return pids.filter((_, at) => states[at] === 'running').map((pid) => `process ${pid} runs`);
  });
}

/** By proc_pid_stat(5). */
async function stateOf(pid: number): Promise<'running' | 'stopped' | 'gone'> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return 'gone';
  return /\) T /.test(stat) ? 'stopped' : /\) Z /.test(stat) ? 'gone' : 'running';
}

/**
 * @param seconds that each of them has.
 * @returns what each has needed meanwhile, in their order.
 */
export async function takeTurns(
  all: readonly SlicedTraffic[],
  seconds: number,
): Promise<readonly Trial[]> {
  const parts = Math.ceil((seconds * all.length) / cachedSeconds);
  const rounds = Math.max(2, Math.round(seconds / sliceSeconds / parts));
  const had = all.map(() => 0);
  const before = await awaitAll(all.map((one) => one.used()));
  for (let part = 0; part < parts; part++) {
    for (const one of all) await one.sendBefore();
    (await letRun(all, rounds)).forEach((ran, at) => (had[at] = (had[at] ?? 0) + ran));
  }
  const now = await awaitAll(all.map((one) => one.used()));
  return all.map(({ planned }, at) => {
    const [first, last] = [before[at], now[at]];
    assert(first !== undefined && last !== undefined, 'each was asked twice');
    return trialBetween(planned, first, last, had[at] ?? 0);
  });
}

/** A slice of time for each, so many times. @returns seconds that each has had. */
async function letRun(all: readonly SlicedTraffic[], rounds: number): Promise<readonly number[]> {
  const words = [sliceSeconds * 1e6, rounds, ...all.map(({ pids }) => pids.join(','))];
  const command = withPriority(all[0]?.scheduling ?? 'as usual', 'turns', [
    ...([systemProgram('perl'), '-e', turnsProgram] as const),
    ...words.map(String),
  ]);
  try {
    const printed = await runToItsEnd('taking turns', command, rounds * sliceSeconds * all.length);
    await areStopped(all.flatMap(({ pids }) => pids));
    return printed.split(' ').map(Number);
  } catch (error) {
    for (const one of all) await one.used(); // a client that has ended says why
    throw error;
  }
}

function trialBetween({ work }: PlannedPath, before: Use, now: Use, seconds: number): Trial {
  const lookups = now.lookups - before.lookups;
  return {
    units: carriedIn({ units: 0, lookups }, work),
    lookups,
    seconds,
    switchNs: now.switchNs - before.switchNs,
    polls: now.polls - before.polls,
    probes: now.probes - before.probes,
    clientNs: now.clientNs - before.clientNs,
    serverNs: now.serverNs - before.serverNs,
    proxyNs: now.proxyNs - before.proxyNs,
  };
}
