/** Faults that make a measured path slower by a given part: each has to be found. */
import { z } from 'zod';
import { assert, InputError } from '../base/errors/errors.js';
import { systemProgram } from '../ovs/process/system-program.js';
import type { Carrier } from '../testbeds/netns/carrier.js';
import type { RealCluster } from './cluster/real-cluster.js';
import { measureOf, type MeasureName, type Trial } from './measures.js';
import { carriedIn, needOfTrial, nodesOf, type PlannedPath } from './planned-path.js';
import type { TrialSettings } from './traffic/run-trial.js';
import { trialsInTurn, type PathOfCluster } from './trials-in-turn.js';

export const slownesses = {
  shaper: 'a token bucket (tc-tbf(8)) where packets leave nodes',
  'slow-host': 'a server that computes before it answers',
  'sleeping-program': 'a server that sleeps before it answers',
} as const;

export interface Slowness {
  readonly kind: keyof typeof slownesses;
  /** Of what the path carries without it: so much it carries less. */
  readonly percent: number;
}

export interface PlantedSlowness {
  /** What of the trials' settings is another one. */
  readonly settings: Partial<TrialSettings>;
  /** By how much less the path carries with it, in percent, when it was planted. */
  readonly percent: number;
  remove(): Promise<void>;
}

/** Where it is planted, and beside what the path is measured meanwhile. */
export interface Ground extends PathOfCluster {
  readonly measure: MeasureName;
  readonly settings: TrialSettings;
  readonly beside: PathOfCluster;
  readonly processors: number;
}

/** So often its strength is corrected by what it does. */
const corrections = 6;

/**
 * Measures what the path carries without it, plants it, and corrects it until the path carries
 * that much less.
 * @throws InputError where the measure's programs cannot have it.
 */
export async function plantSlowness(
  { kind, percent }: Slowness,
  ground: Ground,
): Promise<PlantedSlowness> {
  const clean = await timesOf(ground, {});
  const part = 1 - percent / 100;
  const plant = kind === 'shaper' ? await shaperAt(ground, clean) : delayAt(ground, kind, clean);
  let settings = await plant.withTime(clean.unitNs / part);
  let carried = clean.ratio / (await timesOf(ground, settings)).ratio;
  let asked = clean.unitNs / part;
  for (let at = 0; at < corrections && Math.abs(carried - part) > 0.02; at++) {
    asked = Math.max(clean.unitNs, asked + clean.unitNs * (1 / part - 1 / carried));
    settings = await plant.withTime(asked);
    carried = clean.ratio / (await timesOf(ground, settings)).ratio;
  }
  return { settings, percent: (1 - carried) * 100, remove: plant.remove };
}

interface Times {
  readonly trial: Trial;
  readonly unitNs: number;
  /** To that of a unit beside it. */
  readonly ratio: number;
}

async function timesOf(
  { cluster, planned, measure, settings, beside }: Ground,
  faults: Partial<TrialSettings>,
): Promise<Times> {
  const pair = [beside, { cluster, planned, faults }];
  const rounds = await trialsInTurn(pair, measure, settings, 2);
  const unitNs = ({ work }: PlannedPath, trial: Trial) => needOfTrial(trial, work, 'time');
  const of = rounds.map(([other, trial]) => {
    assert(other !== undefined && trial !== undefined, 'a round has both');
    return { trial, unitNs: unitNs(planned, trial), besideNs: unitNs(beside.planned, other) };
  });
  const [first] = of;
  assert(first !== undefined, 'there is a round');
  const sum = (what: 'unitNs' | 'besideNs') => of.reduce((all, one) => all + one[what], 0);
  return {
    trial: first.trial,
    unitNs: sum('unitNs') / of.length,
    ratio: sum('unitNs') / sum('besideNs'),
  };
}

interface Plant {
  /** Makes a unit take so many nanoseconds. */
  withTime(unitNs: number): Promise<Partial<TrialSettings>>;
  remove(): Promise<void>;
}

/**
 * What a unit takes at its server besides, so that all of it takes as long as it is to: one stage
 * alone, or all processors together.
 */
function delayAt(
  { planned, measure, processors }: Ground,
  kind: Exclude<Slowness['kind'], 'shaper'>,
  { trial, unitNs: cleanNs }: Times,
): Plant {
  const { counts } = measureOf(measure);
  if (counts !== 'connections' && counts !== 'requests')
    throw new InputError(
      `${kind} is planted in servers of connections and of requests, not of ${measure}`,
    );
  const units = carriedIn(trial, planned.work);
  const serverNs = trial.serverNs / units;
  const sleeps = kind === 'sleeping-program';
  return {
    withTime: (unitNs) => {
      const alone = unitNs - serverNs;
      const ns = sleeps ? alone : Math.min(alone, (unitNs - cleanNs) * processors);
      const microseconds = Math.max(0, ns) / 1000;
      const delay = { kind: sleeps ? 'sleeps' : 'works', microseconds } as const;
      return Promise.resolve({ serverDelay: delay });
    },
    remove: () => Promise.resolve(),
  };
}

/** It holds back bytes, of which a unit has some number at each device. */
async function shaperAt(ground: Ground, clean: Times): Promise<Plant> {
  const { cluster, planned } = ground;
  const devices = shapedDevices(cluster, planned);
  const before = await carriedBy(cluster, planned, devices);
  await timesOf(ground, {});
  const now = await carriedBy(cluster, planned, devices);
  // Where lookups are not counted, trials are whole ones, and nothing is sent beside them.
  const units =
    now.lookups > before.lookups
      ? (now.lookups - before.lookups) / planned.work.lookups
      : 2 * carriedIn(clean.trial, planned.work);
  return {
    withTime: async (unitNs) => {
      for (const [at, device] of devices.entries()) {
        const bytes = ((now.bytes[at] ?? 0) - (before.bytes[at] ?? 0)) / units;
        await shape(device, (bytes / unitNs) * 1e9);
      }
      return {};
    },
    remove: () => unshape(devices),
  };
}

interface Device {
  readonly carrier: Carrier;
  readonly name: string;
}

/** Uplinks of its nodes; where a path stays within one, the port of its server. */
function shapedDevices(
  { plan, devices }: RealCluster,
  { path, work }: PlannedPath,
): readonly Device[] {
  const nodes = nodesOf(plan, path);
  return plan.nodes.flatMap(({ node, bridges, hosts }) => {
    const carrier = devices.get(node)?.carrier;
    if (carrier === undefined || !nodes.includes(node)) return [];
    const ofServer = hosts.find(({ name }) => name === path.server)?.interfaces[0]?.port;
    return bridges
      .flatMap(({ ports }) => ports)
      .filter(({ kind, name }) => (work.crossings > 0 ? kind === 'uplink' : name === ofServer))
      .map(({ name }) => ({ carrier, name }));
  });
}

const linkStatistics = z.array(
  z.object({ stats64: z.object({ tx: z.object({ bytes: z.number() }) }) }),
);

/** Lookups of the path's switches are 0 where they count none. */
async function carriedBy(
  cluster: RealCluster,
  { path }: PlannedPath,
  devices: readonly Device[],
): Promise<{ readonly lookups: number; readonly bytes: readonly number[] }> {
  const counted = await cluster.countedWork(nodesOf(cluster.plan, path));
  return { lookups: counted?.lookups ?? 0, bytes: await sentBy(devices) };
}

async function sentBy(devices: readonly Device[]): Promise<readonly number[]> {
  const sent: number[] = [];
  for (const { carrier, name } of devices) {
    const text = await carrier.run([systemProgram('ip'), '-s', '-j', 'link', 'show', 'dev', name]);
    const [link] = linkStatistics.parse(JSON.parse(text));
    assert(link !== undefined, `there is a device ${name}`);
    sent.push(link.stats64.tx.bytes);
  }
  return sent;
}

/** So few bytes at once that hardly any are saved while other paths have their turn. */
async function shape({ carrier, name }: Device, bytesPerSecond: number): Promise<void> {
  const burst = Math.max(3028, Math.ceil(bytesPerSecond / 1000));
  await carrier.run([
    ...([systemProgram('tc'), 'qdisc', 'replace', 'dev', name, 'root', 'tbf'] as const),
    ...['rate', `${Math.round(bytesPerSecond * 8)}bit`],
    ...['burst', String(burst), 'limit', String(1 << 20)],
  ]);
}

async function unshape(devices: readonly Device[]): Promise<void> {
  for (const { carrier, name } of devices)
    await carrier.run([systemProgram('tc'), 'qdisc', 'del', 'dev', name, 'root']);
}
