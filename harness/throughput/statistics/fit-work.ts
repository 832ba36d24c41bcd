/** How much of processors each kind of work needs: a fit over reference paths. */
import { quantileSorted, sampleWithReplacement } from 'simple-statistics';
import { assert } from '../../base/errors/errors.js';
import type { Estimate } from './paired-ratio.js';

/** Work of one unit of traffic, by the name of the kind. */
export type UnitWork = Readonly<Record<string, number>>;

/** What depends on the load, or on what a switch has cached. */
export const countedKinds = ['polls', 'probes'] as const;
export type CountedKinds = UnitWork & Readonly<Record<(typeof countedKinds)[number], number>>;

/** What a unit needed in one trial. */
export interface Sample {
  readonly ns: number;
  /** What is not predicted but counted: how often the main loop went round meanwhile, … */
  readonly counted: CountedKinds;
}

export interface ReferenceSamples {
  readonly path: string;
  readonly work: UnitWork;
  /** Trial by trial. */
  readonly samples: readonly Sample[];
}

export interface Fit {
  /** By kind of work, and of what is counted; none is negative. */
  readonly coefficients: UnitWork;
  /** Of each reference path: what is predicted for it, to what was measured, less one. */
  readonly residuals: readonly { readonly path: string; readonly relative: number }[];
}

/**
 * Least squares of relative errors, with no coefficient below zero: by coordinate descent, which
 * the few kinds that there are let converge.
 */
export function fitWork(kinds: readonly string[], references: readonly ReferenceSamples[]): Fit {
  assert(
    references.every(({ samples }) => samples.length > 0),
    'each reference path was measured',
  );
  const all = [...kinds, ...countedKinds];
  const paths = references.map(({ path, work, samples }) => ({
    path,
    work: { ...work, ...middleCounted(samples.map(({ counted }) => counted)) },
    measured: middle(samples.map(({ ns }) => ns)),
  }));
  const rows = paths.map(({ work, measured }) => all.map((kind) => (work[kind] ?? 0) / measured));
  const solved = nonNegativeLeastSquares(rows);
  const coefficients = Object.fromEntries(all.map((kind, index) => [kind, solved[index] ?? 0]));
  return {
    coefficients,
    residuals: paths.map(({ path, work, measured }) => ({
      path,
      relative: needOf(coefficients, work) / measured - 1,
    })),
  };
}

export function middleCounted(all: readonly CountedKinds[]): CountedKinds {
  return {
    polls: middle(all.map(({ polls }) => polls)),
    probes: middle(all.map(({ probes }) => probes)),
  };
}

/** What a unit of so much work needs. */
export function needOf(coefficients: UnitWork, work: UnitWork): number {
  return Object.entries(coefficients).reduce(
    (sum, [kind, coefficient]) => sum + coefficient * (work[kind] ?? 0),
    0,
  );
}

/** Solves `rows · x ≈ 1`, x ≥ 0. */
function nonNegativeLeastSquares(rows: readonly (readonly number[])[]): readonly number[] {
  const kinds = rows[0]?.length ?? 0;
  const x = new Array<number>(kinds).fill(0);
  const errors = rows.map(() => 1);
  for (let round = 0; round < 5000; round++) {
    let moved = 0;
    for (let kind = 0; kind < kinds; kind++) {
      const square = rows.reduce((sum, row) => sum + (row[kind] ?? 0) ** 2, 0);
      if (square === 0) continue;
      const along = rows.reduce((sum, row, at) => sum + (row[kind] ?? 0) * (errors[at] ?? 0), 0);
      const next = Math.max(0, (x[kind] ?? 0) + along / square);
      const step = next - (x[kind] ?? 0);
      if (step === 0) continue;
      rows.forEach((row, at) => (errors[at] = (errors[at] ?? 0) - step * (row[kind] ?? 0)));
      x[kind] = next;
      moved = Math.max(moved, (Math.abs(step) * Math.sqrt(square)) / rows.length);
    }
    if (moved < 1e-9) break;
  }
  return x;
}

const resamples = 200;

/**
 * A ratio that follows from the coefficients, by fits to resampled trials (bootstrap), widened by
 * what the fit misses its own reference paths by, for as many of them as are more than the
 * coefficients that it has.
 * @param ratioBy between the least and the most of what is known of its counts.
 * @param random numbers of [0, 1), for the same interval again.
 */
export function predictRatio(
  kinds: readonly string[],
  references: readonly ReferenceSamples[],
  ratioBy: (coefficients: UnitWork) => Estimate,
  random: () => number,
): Estimate {
  const fit = fitWork(kinds, references);
  const ratios = Array.from({ length: resamples }, () =>
    ratioBy(
      fitWork(
        kinds,
        references.map((one) => ({
          ...one,
          samples: sampleWithReplacement([...one.samples], one.samples.length, random),
        })),
      ).coefficients,
    ),
  );
  const sorted = (of: 'low' | 'high') => ratios.map((one) => one[of]).sort((a, b) => a - b);
  const missed = missedBy(fit);
  return {
    value: ratioBy(fit.coefficients).value,
    low: quantileSorted(sorted('low'), 0.025) / (1 + missed),
    high: quantileSorted(sorted('high'), 0.975) * (1 + missed),
  };
}

/** The standard error of a fit, relative. */
export function missedBy({ coefficients, residuals }: Fit): number {
  const used = Object.values(coefficients).filter((coefficient) => coefficient > 0).length;
  const square = residuals.reduce((sum, { relative }) => sum + relative ** 2, 0);
  return Math.sqrt(square / Math.max(residuals.length - used, 1));
}

export function middle(samples: readonly number[]): number {
  return quantileSorted(
    [...samples].sort((a, b) => a - b),
    0.5,
  );
}
