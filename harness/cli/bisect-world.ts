/** What a step of a bisection runs: a version of each component, put together. */
import { basename, isAbsolute, join } from 'node:path';
import { execa } from 'execa';
import { cacheFolder, cached } from '../../images/cache.js';
import { openImage } from '../../images/images.js';
import { systemImage } from '../../images/system-image.js';
import { InputError, Unavailable } from '../base/errors/errors.js';
import { sha256 } from '../base/files/digest.js';
import type { Image } from '../ovs/process/image.js';
import { withParentDeathSignal } from '../ovs/process/parent-death-signal.js';
import type { HistoryRow } from '../history/history-row.js';
import { backendNamed, defaultBackend } from '../testbeds/registry.js';
import type { Context } from './context.js';
import { checkoutsOf, writeCommit } from './git-tree.js';
import { playVector } from './play-vector.js';
import { loadScenario, matrix, parseSettings } from './scenarios.js';

export const components = ['image', 'repo', 'ovs'] as const;
export type Component = (typeof components)[number];

/** A version of each component that is known: an image's name, commits. */
export type World = Readonly<Partial<Record<Component, string>>>;

export interface WorldOptions {
  readonly scenario: string;
  readonly set?: string;
  readonly seed: string;
  readonly backend?: string;
  /** A git repository of the user, in which `scenario` may lie. */
  readonly repo?: string;
  /** What is run in a commit of it before it is used. */
  readonly prepare?: string;
  /** A git repository of Open vSwitch's sources. */
  readonly ovsTree?: string;
  readonly build: string;
  /** What prints samples, in a commit of the repository. */
  readonly measure?: string;
}

export interface WorldRunner {
  /** The row of the vector there. @throws Unavailable and InputError where it cannot be run. */
  readonly play: (world: World, vector: string) => Promise<HistoryRow>;
  /** Samples of `--measure` there. */
  readonly sample: (world: World) => Promise<readonly number[]>;
}

const limitMs = 3_600_000;

export function openWorlds(context: Context, options: WorldOptions): WorldRunner {
  const checkout = options.repo === undefined ? undefined : checkoutsOf(context, options.repo);
  const prepared = new Map<string, Promise<string>>();
  const folderOf = async (sha: string | undefined): Promise<string | undefined> => {
    if (sha === undefined || checkout === undefined) return undefined;
    const found = prepared.get(sha) ?? prepare(await checkout(sha), options.prepare);
    prepared.set(sha, found);
    return await found;
  };
  return {
    play: async (world, vector) => {
      const folder = await folderOf(world.repo);
      const scenario = await loadScenario(context.root, scenarioIn(folder, options.scenario));
      const [axes = {}] = matrix(scenario, parseSettings(options.set, [scenario]));
      return await playVector(context, {
        scenario,
        axes,
        vector,
        seed: Number(options.seed),
        switches: {
          real: {
            backend: options.backend === undefined ? defaultBackend : backendNamed(options.backend),
            image: await imageOf(context, world, options),
          },
        },
      });
    },
    sample: async (world) => {
      if (options.measure === undefined)
        throw new InputError('--first-change throughput needs --measure: what prints samples');
      const folder = (await folderOf(world.repo)) ?? process.cwd();
      const env = { FLOWBED_IMAGE: world.image ?? '', FLOWBED_OVS_COMMIT: world.ovs ?? '' };
      const printed = await shell(options.measure, folder, env);
      const samples = printed
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(Number)
        .filter((value) => Number.isFinite(value));
      if (samples.length === 0) throw new Unavailable(`"${options.measure}" printed no number`);
      return samples;
    },
  };
}

/** A file that a commit of the repository has, or the name of a scenario of the project. */
function scenarioIn(folder: string | undefined, name: string): string {
  return folder === undefined || !/\.(ts|js|mjs)$/.test(name) || isAbsolute(name)
    ? name
    : join(folder, name);
}

async function prepare(folder: string, command: string | undefined): Promise<string> {
  if (command !== undefined) await shell(command, folder, {});
  return folder;
}

/** @throws Unavailable with its last line where it fails. */
async function shell(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const [file, ...args] = withParentDeathSignal(process.pid, ['sh', '-c', command]);
  const ended = await execa(file, args, {
    cwd,
    env,
    reject: false,
    stdin: 'ignore',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  if (ended.exitCode === 0) return ended.stdout;
  const said = `${ended.stdout}\n${ended.stderr}`
    .split('\n')
    .findLast((line) => line.trim() !== '');
  throw new Unavailable(
    `"${command}" ended with ${ended.exitCode ?? 'no exit code'}${said === undefined ? '' : `: ${said}`}`,
  );
}

async function imageOf(
  context: Context,
  world: World,
  { ovsTree, build }: WorldOptions,
): Promise<Image> {
  if (world.ovs === undefined || ovsTree === undefined)
    return await openImage(world.image ?? 'trixie', context.say);
  const { ovs } = world;
  // Kept by commit and by how it is built: neither changes what the folder holds.
  const key = `ovs-${ovs.slice(0, 12)}-${sha256(build).slice(0, 8)}`;
  const folder = await cached(cacheFolder(), key, async (unfinished) => {
    context.say(`building Open vSwitch at ${ovs.slice(0, 12)}`);
    const sources = join(unfinished, 'sources');
    await writeCommit(ovsTree, ovs, sources);
    await shell(build, sources, { OUT: unfinished });
  });
  const image = await systemImage([join(folder, 'sbin'), join(folder, 'bin')].join(':'), []);
  return { ...image, name: basename(folder) };
}
