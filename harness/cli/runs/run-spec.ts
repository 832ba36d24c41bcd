/**
 * What a request to run scenarios asks for: the points of their matrices, and how they are played.
 */
import { readAntreaCluster } from '../../../topologies/antrea/read-antrea-cluster.js';
import { readManifestPath } from '../../../topologies/manifest-folder.js';
import { readAntreaTopology } from '../../../topologies/antrea/yaml.js';
import { topologyText } from '../scenarios/lab-topology.js';
import { InputError } from '../../base/errors/errors.js';
import { readInput } from '../../base/files/read-input.js';
import type { Scenario } from '../../domain/scenario.js';
import type { WorkUse } from '../../run/shards/shard-options.js';
import type { Depth } from '../../run/passes.js';
import { scenariosOnNetwork, type UserNetwork } from './user-network.js';
import { scenariosCalled } from '../scenarios/scenario-families.js';
import { loadScenario, matrix, parseSettings, scenarioNames } from '../scenarios/scenarios.js';

/** As it was typed. */
export interface RunRequest {
  readonly names: readonly string[];
  readonly options: RunOptions;
  /** Points that were chosen one by one: `names` and `--set` say nothing then. */
  readonly points?: readonly NamedPoint[];
}

/** A point by names, as files and other processes have it. */
export interface NamedPoint {
  /** A scenario's name, or its file. */
  readonly scenario: string;
  readonly axes: Readonly<Record<string, string>>;
}

/** A network of the user's own, in place of a scenario's. */
export interface NetworkOptions {
  readonly topology?: string;
  readonly manifests?: string;
}

/** Which part of the points is played. */
export interface ShardRequest {
  /** `3/10` */
  readonly shard?: string;
  /** A report.json, by whose durations points are dealt. */
  readonly durations?: string;
}

export interface RunOptions extends NetworkOptions, ShardRequest {
  readonly image: string;
  /** The first of the registry unless given. */
  readonly backend?: string;
  /** Where the run takes place: `host` unless given, or `uml`. */
  readonly world?: string;
  /** `BACKEND:IMAGE`, whose switches are compared with in place of the model. */
  readonly compare?: string;
  /** A file of known divergences. */
  readonly known?: string;
  /** `2026-11-25`: entries of it that have expired by then count no more. */
  readonly today?: string;
  readonly set?: string;
  readonly seed: string;
  readonly passes: string;
  /** What each vector needs is read, compared and reported. */
  readonly throughput?: boolean;
  readonly json?: boolean;
  readonly report?: string;
  readonly keep?: boolean;
  /** Unless it is false, what diverged on the sim is played on a kernel, where one was made. */
  readonly confirm?: boolean;
  /** Runs again what a changed file touches, until Ctrl-C. */
  readonly watch?: boolean;
}

/** What it asks for, the same in every process. */
export interface RunSpec {
  readonly seed: number;
  readonly depth: Depth;
  readonly work: WorkUse;
  readonly points: readonly Point[];
}

export interface Point {
  readonly scenario: Scenario;
  readonly axes: Readonly<Record<string, string>>;
}

/**
 * @param root where the project lies. @param say gets what of manifests is left out. @throws
 *   InputError for a wrong request.
 */
export async function runSpecOf(
  root: string,
  request: RunRequest,
  say?: (note: string) => void,
): Promise<RunSpec> {
  const { names, options, points: chosen } = request;
  const seed = parseSeed(options.seed);
  const depth = parseDepth(options.passes);
  const work = options.throughput === true ? 'counted' : 'left out';
  if (chosen !== undefined) return { seed, depth, work, points: await pointsNamed(root, chosen) };
  const known = await scenarioNames(root);
  const wanted =
    names.length === 0 ? known : new Set(names.flatMap((name) => scenariosCalled(name, known)));
  const named = await Promise.all([...wanted].map((name) => loadScenario(root, name)));
  const network = await networkOf(options, say);
  const scenarios =
    network === undefined
      ? named
      : scenariosOnNetwork(named, network, names.length === 0 ? 'all' : 'named');
  const settings = parseSettings(options.set, scenarios);
  return {
    seed,
    depth,
    work,
    points: scenarios.flatMap((scenario) =>
      matrix(scenario, settings).map((axes) => ({ scenario, axes })),
    ),
  };
}

async function pointsNamed(root: string, chosen: readonly NamedPoint[]): Promise<readonly Point[]> {
  const names = [...new Set(chosen.map(({ scenario }) => scenario))];
  const loaded = new Map<string, Scenario>();
  for (const name of names) loaded.set(name, await loadScenario(root, name));
  return chosen.flatMap(({ scenario: name, axes }) => {
    const scenario = loaded.get(name);
    return scenario === undefined ? [] : [{ scenario, axes }];
  });
}

function parseSeed(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InputError(`--seed: expected a whole number, got "${text}"`);
  return Number(text);
}

function parseDepth(text: string): Depth {
  if (text !== 'all' && text !== 'cold')
    throw new InputError(`--passes: expected all or cold, got "${text}"`);
  return text;
}

/** A network of the user's own, where there is one. @throws InputError for one that is none. */
export async function networkOf(
  { topology, manifests }: NetworkOptions,
  say?: (note: string) => void,
): Promise<UserNetwork | undefined> {
  if (topology !== undefined && manifests !== undefined)
    throw new InputError(
      '--topology and --manifests both say what the network is: choose one of them',
    );
  if (manifests !== undefined)
    return {
      axis: 'manifests',
      path: manifests,
      network: readAntreaCluster(readManifestPath(manifests), {
        name: 'manifests',
        tunnel: 'geneve',
        ...(say === undefined ? {} : { say }),
      }),
    };
  if (topology === undefined) return undefined;
  const text = (await readInput(topology)).toString('utf8');
  const network = readAntreaTopology(topologyText(text, topology), topology);
  return { axis: 'topology', path: topology, network };
}
