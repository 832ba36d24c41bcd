/** Whether a report of conformance says of itself, and of what is played again, what is so. */
import { canonicalJson, sha256 } from '../base/files/digest.js';
import type { ScenarioReport } from '../run/records/run-report.js';
import {
  addedCounts,
  scenarioEntry,
  worstOf,
  type ConformanceReport,
  type ScenarioEntry,
} from './conformance-report.js';

/** What does not follow from the report's own parts, a line each. */
export function inconsistenciesIn(report: ConformanceReport): readonly string[] {
  const scenarios = report.profiles.flatMap((profile) => profile.scenarios);
  return [
    ...report.profiles.flatMap((profile) => [
      ...differing(
        profile.name,
        { result: profile.result, vectors: profile.vectors },
        {
          result: worstOf(profile.scenarios.map(({ result }) => result)),
          vectors: addedCounts(profile.scenarios.flatMap(({ features }) => features)),
        },
      ),
      ...profile.scenarios.flatMap(({ name, result, features }) =>
        result === 'passed' && features.some((feature) => feature.result !== 'passed')
          ? [`${name}: result: reported "passed", and not all of its features are`]
          : [],
      ),
    ]),
    ...differing(
      'the report',
      { result: report.result, traceHash: report.traceHash },
      {
        result: worstOf(report.profiles.map(({ result }) => result)),
        traceHash: sha256(scenarios.map(({ traceHash }) => traceHash).join('\n')),
      },
    ),
  ];
}

/** What is not so where it is played again, a line each. */
export function differencesFrom(
  reported: ScenarioEntry,
  played: ScenarioReport,
): readonly string[] {
  return differing(reported.name, reported, scenarioEntry(played));
}

/** `mine/wall: features.ping.vectors.passed: reported 7, found 6` */
function differing(where: string, reported: unknown, found: unknown): readonly string[] {
  return differingParts(reported, found, []).map(
    ({ path, was, is }) => `${where}: ${path.join('.')}: reported ${was}, found ${is}`,
  );
}

interface DifferingPart {
  readonly path: readonly string[];
  readonly was: string;
  readonly is: string;
}

function differingParts(
  reported: unknown,
  found: unknown,
  path: readonly string[],
): readonly DifferingPart[] {
  if (canonicalJson(reported ?? null) === canonicalJson(found ?? null)) return [];
  if (!isObject(reported) || !isObject(found))
    return [{ path, was: shortened(reported), is: shortened(found) }];
  const [before, now] = [membersOf(reported), membersOf(found)];
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((name) =>
    differingParts(before.get(name), now.get(name), [...path, name]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Items of a list by their names, where they have some. */
function membersOf(value: object): ReadonlyMap<string, unknown> {
  if (!Array.isArray(value)) return new Map<string, unknown>(Object.entries(value));
  return new Map(
    value.map((item: unknown, index) => [
      isObject(item) && 'name' in item && typeof item.name === 'string' ? item.name : String(index),
      item,
    ]),
  );
}

const charactersShown = 60;

function shortened(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > charactersShown ? `${text.slice(0, charactersShown)}…` : text;
}
