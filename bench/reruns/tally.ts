/** What many runs came to, in words and numbers. */
import { table } from '../describe-machine.js';
import type { Rerun } from './rerun.js';

/**
 * Whether a run ended as every run has to: with the verdict and the trace of a quiet one, or
 * without a verdict and with a reason.
 */
export function isSound({ exit, traceHash, reasons }: Rerun, quiet: string): boolean {
  if (exit === 0) return traceHash === quiet;
  return exit === 3 && reasons.some((reason) => reason !== '');
}

/**
 * A table of exits, and below it each reason. @param quiet the trace hash of a run that nobody
 * disturbed.
 */
export function tally(runs: readonly Rerun[], quiet: string): string {
  const outcome = ({ exit, traceHash }: Rerun) =>
    exit !== 0 ? String(exit) : `0, ${traceHash === quiet ? 'the same trace' : 'another trace'}`;
  const reasons = runs.flatMap((run) => run.reasons.map((reason) => `exit ${run.exit}: ${reason}`));
  const unsound = runs.filter((run) => !isSound(run, quiet)).map(({ run }) => run);
  const kinds = [...new Set(runs.flatMap(({ carried }) => Object.keys(carried)))];
  const carried = kinds.map(
    (kind) => `${kind} ${runs.reduce((sum, run) => sum + (run.carried[kind] ?? 0), 0)} times`,
  );
  return [
    table(['exit', 'runs'], count(runs.map(outcome))),
    '',
    `beside them: ${carried.join(', ')}`,
    ...count(reasons).map(([reason, times]) => `${times} × ${reason}`),
    unsound.length === 0
      ? 'every run ended as it has to'
      : `not as it has to: ${unsound.map((run) => `run ${run}`).join(', ')}`,
  ].join('\n');
}

/** Each with how often it occurs, the most frequent first. */
function count(values: readonly string[]): [string, string][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([value, times]) => [value, String(times)]);
}
