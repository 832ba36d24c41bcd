/** Finding scenarios: the project's own by name, anybody's by file. */
import { stat } from 'node:fs/promises';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { InputError, Unavailable, unknownName } from '../../base/errors/errors.js';
import type { Axis, Scenario } from '../../domain/scenario.js';
import { checkScenario } from '../../run/shapes/check-scenario.js';
import { scenarioFile, scenariosIn } from './scenario-files.js';
import { describeThrown } from '../processes/guard-exit.js';
import { guardScenario } from './guard-scenario.js';
import { placeInScenario } from './scenario-code.js';
import { scenarioLimitMs, watchScenarios } from '../processes/watchdog.js';

/** The names of the project's own scenarios: their files' places in scenarios/. */
export async function scenarioNames(root: string): Promise<readonly string[]> {
  return await scenariosIn(join(root, 'dist'));
}

/**
 * A scenario by its name, or by the path of a .ts, .js or .mjs file. @throws InputError naming the
 * known ones.
 */
export async function loadScenario(root: string, name: string): Promise<Scenario> {
  await watchScenarios();
  const known = await scenarioNames(root);
  if (known.includes(name)) return await loadOwnScenario(root, name);
  if (!/\.(ts|js|mjs)$/.test(name)) throw unknownName('scenario', name, known);
  const file = resolve(name);
  if (
    !(await stat(file).then(
      (found) => found.isFile(),
      () => false,
    ))
  )
    throw new InputError(`there is no file ${file}`);
  registerImportHooks(root);
  return await importScenario(file, name);
}

/** One of the project's own, which `scenarioNames` names. */
export async function loadOwnScenario(root: string, name: string): Promise<Scenario> {
  return await importScenario(scenarioFile(root, name), name);
}

async function importScenario(file: string, name: string): Promise<Scenario> {
  const module = (await loadModule(file, name)) as { readonly default?: unknown };
  const wrong = shapeErrorOf(module.default, name);
  if (wrong !== undefined)
    throw new InputError(
      [
        `${name} has no scenario as its default export; expected: export default ` +
          'defineScenario({ name, title, axes, topology, controlPlane, vectors, intent })',
        ...wrong.split('\n'),
      ],
      { file },
    );
  return guardScenario(module.default as Scenario, name);
}

/** @throws InputError where it cannot even be read. */
function shapeErrorOf(exported: unknown, name: string): string | undefined {
  try {
    return checkScenario(exported);
  } catch (thrown) {
    throw new InputError(
      `scenario ${name}: reading its default export threw ${describeThrown(thrown)}`,
      thrown instanceof Error ? placeInScenario(thrown.stack) : undefined,
    );
  }
}

/** @throws InputError when it throws, or does not come to its end. */
async function loadModule(file: string, name: string): Promise<unknown> {
  const limitMs = scenarioLimitMs();
  try {
    return await withDeadline(import(pathToFileURL(file).href), limitMs, `the end of ${name}`);
  } catch (thrown) {
    if (thrown instanceof InputError) throw thrown;
    if (thrown instanceof Unavailable)
      throw new InputError(
        `scenario ${name} cannot be loaded: it still awaits something at its top level after ` +
          `${limitMs / 1000} s`,
        { file },
      );
    throw new InputError(
      `scenario ${name} cannot be loaded: its module threw ${describeThrown(thrown)}`,
      (thrown instanceof Error ? placeInScenario(thrown.stack) : undefined) ?? { file },
    );
  }
}

/** Lets a file from anywhere import `flowbed` and be written in TypeScript. */
function registerImportHooks(root: string): void {
  process.setSourceMapsEnabled(true); // places are reported as they were written
  register(new URL('import-hooks.js', import.meta.url), {
    data: { root: pathToFileURL(join(root, 'package.json')).href },
  });
}

/** Every point of the matrix that is asked for, in the order of the axes. */
export function matrix(
  scenario: Pick<Scenario, 'name' | 'axes'>,
  settings: Settings,
): readonly Readonly<Record<string, string>>[] {
  return Object.entries<Axis>(scenario.axes).reduce<readonly Readonly<Record<string, string>>[]>(
    (points, [axis, { values, default: usual }]) => {
      const asked = settings.get(axis);
      const set = asked?.includes('all') === true ? values : asked;
      const unknown = set?.find((value) => !values.includes(value));
      if (unknown !== undefined)
        throw unknownName(`value of axis ${axis} of ${scenario.name}`, unknown, values);
      return points.flatMap((point) =>
        (set ?? usual).map((value) => ({ ...point, [axis]: value })),
      );
    },
    [{}],
  );
}

/** The values asked for, by axis. */
export type Settings = ReadonlyMap<string, readonly string[]>;

/**
 * `axis=value,axis=value`, an axis as often as several of its values are wanted, `axis=all` for all
 * of them; every axis must belong to one of `scenarios`.
 */
export function parseSettings(
  text: string | undefined,
  scenarios: readonly Pick<Scenario, 'axes'>[],
): Settings {
  const known = [...new Set(scenarios.flatMap(({ axes }) => Object.keys(axes)))];
  const settings = new Map<string, readonly string[]>();
  for (const part of (text ?? '').split(',').filter((piece) => piece !== '')) {
    const [axis = '', value] = part.split('=');
    if (!known.includes(axis)) throw unknownName('axis', axis, known);
    if (value === undefined || value === '')
      throw new InputError(`--set ${part}: expected axis=value`);
    settings.set(axis, [...new Set([...(settings.get(axis) ?? []), value])]);
  }
  return settings;
}
