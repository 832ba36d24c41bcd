/** What a step of a bisection runs: a version of each component, put together. */
import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { execa } from 'execa';
import { openImage } from '../../../images/images.js';
import { builtImage } from '../../../images/built-image.js';
import type { Scenario } from '../../domain/scenario.js';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import type { Image } from '../../ovs/process/image.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { backendNamed, defaultBackend } from '../../testbeds/registry.js';
import type { Context } from '../context.js';
import { checkoutsOf } from './git-tree.js';
import { builtCommit } from './built-commits.js';
import { playVector, type PlayedVector } from '../runs/play-vector.js';
import { loadScenario, matrix, parseSettings } from '../scenarios/scenarios.js';

export const components = ['image', 'repo', 'ovs', 'ovn'] as const;
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
  /** A git repository of OVN's sources. */
  readonly ovnTree?: string;
  readonly ovnBuild: string;
  /** What prints samples, in a commit of the repository. */
  readonly measure?: string;
}

/** The scenario of a world, at the point that is asked for. */
export interface WorldScenario {
  readonly scenario: Scenario;
  readonly axes: Readonly<Record<string, string>>;
}

export interface PlayRequest {
  readonly vector: string;
  /** What is played in place of the scenario as it is there. */
  readonly changed?: (there: WorldScenario) => WorldScenario;
  /** `model`: a second model stands in for the switches. */
  readonly on?: 'switches' | 'model';
  /** What the vector needs is counted as well. */
  readonly work?: 'counted';
  /** The command that plays it again, for its record. */
  readonly again?: string;
}

export interface WorldRunner {
  /** @throws InputError where there is none, or it is wrong. */
  readonly scenario: (world: World) => Promise<WorldScenario>;
  /** The vector there. @throws Unavailable and InputError where it cannot be run. */
  readonly play: (world: World, request: PlayRequest) => Promise<PlayedVector>;
  /** Samples of `--measure` there; `shrunk` is the folder of a smaller case. */
  readonly sample: (world: World, shrunk?: string) => Promise<readonly number[]>;
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
  const scenario = async (world: World): Promise<WorldScenario> => {
    const folder = await folderOf(world.repo);
    const loaded = await loadScenario(context.root, scenarioIn(options, folder));
    const [axes = {}] = matrix(loaded, parseSettings(options.set, [loaded]));
    return { scenario: loaded, axes };
  };
  return {
    scenario,
    play: async (world, { changed = (there) => there, on = 'switches', ...request }) =>
      await playVector(context, {
        ...request,
        ...changed(await scenario(world)),
        seed: Number(options.seed),
        switches:
          on === 'model'
            ? 'model'
            : {
                real: {
                  backend:
                    options.backend === undefined ? defaultBackend : backendNamed(options.backend),
                  image: await imageOf(context, world, options),
                },
              },
      }),
    sample: async (world, shrunk = '') => {
      if (options.measure === undefined)
        throw new InputError('--first-change throughput needs --measure: what prints samples');
      const folder = (await folderOf(world.repo)) ?? process.cwd();
      const env = {
        FLOWBED_OVN_COMMIT: world.ovn ?? '',
        FLOWBED_IMAGE: world.image ?? '',
        FLOWBED_OVS_COMMIT: world.ovs ?? '',
        FLOWBED_CASE: shrunk,
      };
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

/**
 * The name of a scenario of the project, a file that a commit of the repository has, by its path
 * there or here, or a file outside of it, which is the same in every commit.
 * @param folder where the commit's files are.
 */
export function scenarioIn(
  { repo, scenario }: Pick<WorldOptions, 'repo' | 'scenario'>,
  folder: string | undefined,
): string {
  if (folder === undefined || repo === undefined || !/\.(ts|js|mjs)$/.test(scenario))
    return scenario;
  const here = resolve(scenario);
  const within = relative(resolve(repo), here);
  const isWithin = !within.startsWith('..') && !isAbsolute(within);
  if (isWithin) return [folder, within].join('/');
  const there = [folder, scenario].join('/');
  return existsSync(there) || !existsSync(here) ? there : here;
}

async function prepare(folder: string, command: string | undefined): Promise<string> {
  if (command !== undefined) await shell(command, folder, {});
  return folder;
}

/** @throws Unavailable with its first error, else its last line, where it fails. */
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
  const lines = `${ended.stdout}\n${ended.stderr}`.split('\n').filter((line) => line.trim() !== '');
  // What a compiler complains of first, rather than make's word that it ended.
  const said = lines.find((line) => /\berror:/.test(line)) ?? lines.at(-1);
  const asked = command.length > commandMax ? `${command.slice(0, commandMax)}…` : command;
  throw new Unavailable(
    `"${asked}" ended with ` +
      `${ended.exitCode ?? 'no exit code'}${said === undefined ? '' : `: ${said}`}`,
  );
}

/** Of a command, in what is said of it. */
const commandMax = 60;

/** The image, with what was built of commits in its place. */
async function imageOf(
  context: Context,
  world: World,
  { ovsTree, build, ovnTree, ovnBuild }: WorldOptions,
): Promise<Image> {
  let image = await openImage(world.image ?? 'trixie', context.say);
  const trees = [
    { what: 'ovs', tree: ovsTree, build },
    { what: 'ovn', tree: ovnTree, build: ovnBuild },
  ] as const;
  for (const { what, tree, build: command } of trees) {
    const commit = world[what];
    if (commit === undefined || tree === undefined) continue;
    const built = await builtCommit(context, { what, tree, build: command, shell }, commit);
    image = await builtImage(image, built);
  }
  return image;
}
