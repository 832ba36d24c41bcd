/**
 * Divergences that people know of: a vector, the cause, and the day from which it is one no more.
 * A run that meets one conforms, with the verdict `known-divergence` for its vector; one that no
 * longer occurs is a divergence itself, so that the list stays true.
 */
import { z } from 'zod';
import { readAs, readYaml, refused } from '../../base/text/yaml.js';
import { type YamlProblem } from '../../base/text/yaml-problem.js';
import { unknownName } from '../../base/errors/errors.js';
import { noCounts, verdictOn, worstVerdict, type Difference } from '../../domain/verdict.js';
import type { ScenarioReport } from '../records/run-report.js';
import type { VectorReport } from './vector-report.js';

const date = z.iso.date({
  error: ({ input }) => `expected a date such as 2027-01-31, got ${JSON.stringify(input)}`,
});
const entry = z.strictObject({
  scenario: z.string().min(1),
  vector: z.string().min(1).describe('its id, as reports print it'),
  axes: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('the points of the matrix at which it occurs; all unless given'),
  cause: z.string().min(1).describe('what is wrong, with the place where it is reported'),
  expires: date.describe('the first day on which it is a divergence again'),
});
export type KnownDivergence = z.infer<typeof entry>;

/** A vector that a run plays. */
export interface PlayedVectorId {
  readonly scenario: string;
  readonly axes: Readonly<Record<string, string>>;
  readonly id: string;
}

/**
 * @param playedOf the vectors that the run plays of a scenario; none of one that it does not play,
 *   of which an entry says nothing then.
 * @param scenarios all there are.
 * @throws InputError with file, line and column of each entry that names no scenario, no vector of
 *   one that is played, or a vector that another entry names too.
 */
export function readKnownDivergences(
  text: string,
  file: string,
  playedOf: (scenario: string) => readonly PlayedVectorId[],
  scenarios: readonly string[],
): readonly KnownDivergence[] {
  const document = readYaml(text, file);
  const entries = readAs(document, z.array(entry));
  const problems = entries.flatMap((known, index): readonly YamlProblem[] => {
    const played = playedOf(known.scenario);
    const isPlayed = played.length > 0;
    if (!isPlayed && !scenarios.includes(known.scenario))
      return [problem(index, 'scenario', unknownName('scenario', known.scenario, scenarios))];
    const points = played.filter((vector) => isAt(known, vector));
    if (isPlayed && !points.some(({ id }) => id === known.vector))
      return [
        problem(
          index,
          'vector',
          unknownName('vector', known.vector, [...new Set(points.map(({ id }) => id))]),
        ),
      ];
    const twin = entries
      .slice(0, index)
      .find(
        (other) =>
          other.vector === known.vector &&
          points.some((vector) => vector.id === known.vector && isAt(other, vector)),
      );
    return twin === undefined
      ? []
      : [{ path: [index, 'vector'], message: `${known.vector} has an entry already` }];
  });
  if (problems.length > 0) throw refused(document, problems);
  return entries;
}

function problem(index: number, key: string, { message }: Error): YamlProblem {
  return { path: [index, key], message };
}

function isAt(
  { scenario, axes = {} }: KnownDivergence,
  point: Pick<PlayedVectorId, 'scenario' | 'axes'>,
): boolean {
  return (
    point.scenario === scenario &&
    Object.entries(axes).every(([axis, value]) => point.axes[axis] === value)
  );
}

/**
 * The report with the verdicts that follow from what is known.
 * @param today as `2026-11-25`: entries that have expired by then count no more. Without it none
 *   has, so that a run is the same on every day.
 */
export function withKnownDivergences(
  report: ScenarioReport,
  known: readonly KnownDivergence[],
  today?: string,
): ScenarioReport {
  const here = known.filter(
    (one) => isAt(one, { scenario: report.name, axes: report.axes }) && !hasExpired(one, today),
  );
  if (here.length === 0) return report;
  const vectors = report.vectors.map((vector) => {
    const found = here.find((one) => one.vector === vector.id);
    return found === undefined ? vector : judgeKnown(vector, found);
  });
  const ofProgram = { ...noCounts, program: report.counts.program };
  return {
    ...report,
    vectors,
    verdict: worstVerdict([
      verdictOn(report.program, ofProgram),
      ...vectors.map(({ verdict }) => verdict),
      ...(report.inconclusive === undefined ? [] : (['inconclusive'] as const)),
    ]),
  };
}

function hasExpired({ expires }: KnownDivergence, today: string | undefined): boolean {
  return today !== undefined && today >= expires;
}

/** One without a verdict stays so. */
function judgeKnown(vector: VectorReport, { cause, expires }: KnownDivergence): VectorReport {
  const knownDivergence = { cause, expires };
  if (vector.verdict === 'diverges')
    return { ...vector, verdict: 'known-divergence', knownDivergence };
  if (vector.verdict !== 'conforms') return vector;
  const goneDivergence: Difference = {
    aspect: 'frames',
    between: 'model and switch',
    summary: `the known divergence no longer occurs: remove its entry (${cause})`,
    expected: 'a divergence',
    actual: 'none',
    afterDivergence: false,
  };
  return { ...vector, verdict: 'diverges', differences: [goneDivergence] };
}
