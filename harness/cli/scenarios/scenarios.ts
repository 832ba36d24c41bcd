/** Finding scenarios: the project's own by name, anybody's by file. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError, unknownName } from '../../base/errors/errors.js';
import type { Axis, Scenario } from '../../domain/scenario.js';
import { checkScenario } from '../../run/shapes/check-scenario.js';
import { scenarioFile, scenariosIn } from './scenario-files.js';
import { guardScenario } from './guard-scenario.js';
import {
  errorOf,
  farScenario,
  noKnownObjects,
  type KnownObjects,
} from '../scenario-process/far-scenario.js';
import { importScenario } from '../scenario-process/import-scenario.js';
import type { Shape } from '../scenario-process/messages.js';
import { openScenarioLink, type ScenarioLink } from '../scenario-process/scenario-link.js';
import { addStarted } from '../scenario-process/started.js';

/** The names of the project's own scenarios: their files' places in scenarios/. */
export async function scenarioNames(root: string): Promise<readonly string[]> {
  return await scenariosIn(join(root, 'dist'));
}

/**
 * A scenario by its name, or by the path of a .ts, .js or .mjs file. @throws InputError naming the
 * known ones.
 */
export async function loadScenario(root: string, name: string): Promise<Scenario> {
  const known = await scenarioNames(root);
  if (known.includes(name)) return await loadFar('own', scenarioFile(root, name), name);
  if (!/\.(ts|js|mjs)$/.test(name)) throw unknownName('scenario', name, known);
  const file = resolve(name);
  if (
    !(await stat(file).then(
      (found) => found.isFile(),
      () => false,
    ))
  )
    throw new InputError(`there is no file ${file}`);
  return await loadFar({ file }, file, name);
}

/** One of the project's own, in this process, which only says what there is: for no verdict. */
export async function loadOwnScenario(root: string, name: string): Promise<Scenario> {
  return await importScenario(scenarioFile(root, name), name);
}

interface ScenarioProcess {
  readonly link: ScenarioLink;
  readonly known: KnownObjects;
}

/** The processes that run scenarios' code: one for the project's own, one for each other file. */
const processes = new Map<string, Promise<ScenarioProcess>>();
let loaded = 0;

/** Scenarios may be loaded at once: the first one starts the process, and all wait for it. */
async function processFor(place: 'own' | { readonly file: string }): Promise<ScenarioProcess> {
  const key = place === 'own' ? '' : place.file;
  const running = processes.get(key);
  if (running === undefined) return await startProcess(key, place === 'own' ? 'own' : 'anywhere');
  const opened = await running;
  if (opened.link.ended() === undefined) return opened;
  if (processes.get(key) === running) processes.delete(key);
  return await processFor(place);
}

/** One that cannot be started is forgotten: whoever asks next tries again. */
function startProcess(key: string, modules: 'own' | 'anywhere'): Promise<ScenarioProcess> {
  const starting = openScenarioLink(modules).then((link) => {
    addStarted(link);
    return { link, known: noKnownObjects() };
  });
  processes.set(key, starting);
  starting.catch(() => processes.delete(key));
  return starting;
}

/** A scenario of a module, whose functions run where it is loaded. */
async function loadFar(
  place: 'own' | { readonly file: string },
  file: string,
  name: string,
): Promise<Scenario> {
  const { link, known } = await processFor(place);
  const scenario = ++loaded;
  const answer = link.ask({ kind: 'load', scenario, file, name }, `scenario ${name}`);
  if (answer.kind === 'threw') throw errorOf(answer.thrown);
  const far = farScenario(link, known, { scenario, shape: answer.value as Shape, name });
  const wrong = checkScenario(far);
  if (wrong !== undefined) throw new InputError([`${name}: no scenario`, ...wrong.split('\n')]);
  return guardScenario(far, name);
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
