/** `--known FILE` and `--today DATE` of `flowbed run`. */
import { InputError } from '../../base/errors/errors.js';
import { readInput } from '../../base/files/read-input.js';
import {
  readKnownDivergences,
  withKnownDivergences,
  type PlayedVectorId,
} from '../../run/judging/known-divergences.js';
import type { ScenarioReport } from '../../run/records/run-report.js';
import { scenarioNames } from '../scenarios/scenarios.js';
import type { Point, RunOptions } from './run-spec.js';
import { timelineOf } from '../../run/timeline/scenario-timeline.js';

/**
 * How the known divergences that a run is given change a report.
 * @throws InputError for a file or a date that is none.
 */
export async function knownDivergencesOf(
  root: string,
  { known, today }: Pick<RunOptions, 'known' | 'today'>,
  points: readonly Point[],
): Promise<(report: ScenarioReport) => ScenarioReport> {
  if (today !== undefined && !isDate(today))
    throw new InputError(`--today: expected a date as 2026-11-25, got "${today}"`);
  if (known === undefined) {
    if (today === undefined) return (report) => report;
    throw new InputError(
      '--today says when known divergences expire: give a file of them, --known',
    );
  }
  const text = (await readInput(known)).toString('utf8');
  const entries = readKnownDivergences(
    text,
    known,
    (name) => points.filter(({ scenario }) => scenario.name === name).flatMap(vectorsOf),
    await scenarioNames(root),
  );
  return (report) => withKnownDivergences(report, entries, today);
}

function vectorsOf({ scenario, axes }: Point): readonly PlayedVectorId[] {
  return timelineOf(scenario, axes).steps.flatMap((step) =>
    step.kind === 'vector' ? [{ scenario: scenario.name, axes, id: step.vector.id }] : [],
  );
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
