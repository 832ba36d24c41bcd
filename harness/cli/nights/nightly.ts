/** `flowbed nightly FILE`: a matrix, point by point, into a store. */
import { hostname } from 'node:os';
import { relative, resolve } from 'node:path';
import { attempt } from '../../base/errors/outcome.js';
import { canonicalJson, sha256 } from '../../base/files/digest.js';
import { readInput } from '../../base/files/read-input.js';
import { InputError } from '../../base/errors/errors.js';
import {
  beginNight,
  closeAbandonedNights,
  continueNight,
  type OpenNight,
} from '../../history/open-night.js';
import { changesBetween } from '../../history/changes.js';
import { measureChanges } from '../../history/measure-changes.js';
import type { HistoryRow } from '../../history/history-row.js';
import { openStore } from '../../history/store.js';
import { readNightlyFile, type NightlyFile } from '../../nightly/nightly-file.js';
import {
  formatNightPoint,
  gatesNight,
  matchesName,
  matricesOf,
  pointsOfNight,
  type NightPoint,
} from '../../nightly/points-of-night.js';
import { worstVerdict } from '../../domain/verdict.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { renderChanges } from '../../../reports/render-changes.js';
import { renderNight } from '../../../reports/render-night.js';
import { exitCodes, type Context } from '../context.js';
import { printUnavailable } from '../print-error.js';
import { runMeasure } from './run-measure.js';
import { playNightPoints, type Night } from './play-night.js';
import { programDigest } from './program-digest.js';
import { loadScenario, scenarioNames } from '../scenarios/scenarios.js';

/** What a night plays where no file says it, from where the project lies. */
export const defaultNight = 'harness/nightly/default-night.yaml';

export interface NightlyOptions {
  readonly store: string;
  readonly night?: string;
  readonly at?: string;
  readonly resume?: boolean;
}

/**
 * @returns 0 where all points that gate conform, 1 where one diverges, 3 where one has no verdict,
 *   also because the time was up.
 */
export async function nightly(
  context: Context,
  given: string | undefined,
  options: NightlyOptions,
): Promise<number> {
  const name = given ?? [context.root, defaultNight].join('/');
  const file = readNightlyFile((await readInput(name)).toString('utf8'), name);
  const points = await pointsOf(context.root, file);
  const program = await programDigest(context.root);
  const plan = sha256(
    canonicalJson({
      points: points.map(formatNightPoint),
      passes: file.passes,
      work: file.work,
      program,
    }),
  );
  const open = await openNight(context, options, plan);
  const night: Night = { context, file, open, program, machine: hostname() };
  const began = performance.now();
  const isOver = () =>
    file.budget_minutes !== undefined && performance.now() - began > file.budget_minutes * 60_000;
  const pending = points.filter((point) => !open.isFinished(formatNightPoint(point)));
  context.say(`night ${open.night}: ${points.length - pending.length} of ${points.length} points`);
  for (const group of bySwitches(pending)) await playNightPoints(night, group, isOver);
  for (const measure of file.measures)
    if (!open.isFinished(`measure ${measure.name}`) && !isOver()) await runMeasure(night, measure);
  const rows = await open.rows();
  const stored = await open.close();
  const unplayed = points.filter((point) => !open.isFinished(formatNightPoint(point)));
  context.print(renderNight({ night: open.night, rows, unplayed: unplayed.map(formatNightPoint) }));
  context.print(`  store     ${stored}`);
  await printChanges(context, options.store, open.night, rows);
  return exitCodes[
    worstVerdict([
      ...rows
        .filter(({ level, gates }) => level !== 'vector' && gates)
        .map(({ verdict }) => verdict),
      ...unplayed.filter((point) => gatesNight(file, point)).map(() => 'inconclusive' as const),
      ...(rows.every(({ gates }) => !gates) ? (['conforms'] as const) : []),
    ])
  ];
}

/** Every point that the file asks for. @throws InputError for what there is none of. */
export async function pointsOf(root: string, file: NightlyFile): Promise<readonly NightPoint[]> {
  const known = await scenarioNames(root);
  const wanted = matricesOf(file).flatMap(({ scenarios = known }) => scenarios);
  const names = [...wanted, ...file.include.map(({ scenario }) => scenario)].flatMap((name) => {
    if (!name.includes('*')) return [name];
    const found = known.filter((one) => matchesName(name, one));
    if (found.length === 0)
      throw new InputError(`no scenario is called ${name}: known are ${known.join(', ')}`);
    return found;
  });
  const scenarios = [];
  for (const name of new Set(names)) {
    const { axes, name: called } = await loadScenario(root, name);
    const isFile = !known.includes(name);
    const file = isFile ? resolve(name) : [root, 'scenarios', `${name}.ts`].join('/');
    const path = relative(process.cwd(), file);
    scenarios.push({ name, axes, isFile, aliases: [called, path, `./${path}`, file] });
  }
  return pointsOfNight(file, scenarios, defaultBackend.name);
}

async function openNight(
  { say }: Context,
  { store, night, at, resume }: NightlyOptions,
  plan: string,
): Promise<OpenNight> {
  if (resume === true) {
    const found = await continueNight(store, plan);
    if (found !== undefined) return found;
    say('there is no night to continue: another begins');
  }
  for (const { night: closed, keptIn } of await closeAbandonedNights(store))
    say(
      keptIn === undefined
        ? `night ${closed} was killed: what it had finished is in the store`
        : `night ${closed} was killed, and another version of flowbed wrote it: kept in ${keptIn}`,
    );
  if (at !== undefined && !isTime(at))
    throw new InputError(`--at: expected a time as 2026-11-26T02:00:00Z, got "${at}"`);
  const began = at ?? new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const name = night ?? `${began.replaceAll(':', '-')}-${hostname()}-${process.pid}`;
  return await beginNight(store, { night: name, at: began, plan });
}

function isTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Points that run on the same switches share a pool of workers. */
function bySwitches(points: readonly NightPoint[]): readonly (readonly NightPoint[])[] {
  const groups = new Map<string, NightPoint[]>();
  for (const point of points) {
    const key = JSON.stringify([point.backend, point.image, point.seed]);
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups.values()];
}

/** What differs from the night before, where there is one. */
async function printChanges(
  context: Context,
  folder: string,
  night: string,
  rows: readonly HistoryRow[],
): Promise<void> {
  if (rows.length === 0) return;
  // The night is stored: what is wrong with others takes nothing from it.
  const opened = await attempt(() => openStore(folder));
  if (opened.kind === 'unavailable') {
    printUnavailable(opened.cause, context);
    return;
  }
  const store = opened.value;
  try {
    const nights = store.nights;
    const index = nights.findIndex((one) => one.night === night);
    const before = nights[index - 1];
    if (before === undefined) return;
    const changes = changesBetween(await store.rows('night = $1', [before.night]), rows);
    const measured = await store.rows(`level = 'measure' ORDER BY "at", night`);
    const measures = measureChanges(measured.filter((row) => row.at <= (rows[0]?.at ?? '')));
    context.print(renderChanges({ before: before.night, now: night, changes, measures }));
  } finally {
    store.close();
  }
}
