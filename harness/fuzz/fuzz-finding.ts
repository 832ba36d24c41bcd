/** What a case shows beside the aspects of a run: what is accepted, and that nobody crashes. */
import type { Aspect, Finding } from '../domain/verdict.js';

/**
 * `acceptance`: which flows, groups and changes model and switch accept; `crash`: that neither of
 * them does.
 */
export type FuzzAspect = Aspect | 'acceptance' | 'crash';

export type FuzzFinding = Finding<FuzzAspect>;

/** @param step index of the step at which it shows, where it is one. */
export function acceptanceFinding(
  summary: string,
  expected: string,
  actual: string,
  step?: number,
): FuzzFinding {
  return {
    aspect: 'acceptance',
    between: 'model and switch',
    summary,
    expected,
    actual,
    ...(step === undefined ? {} : { step }),
  };
}

export function crashFinding(summary: string, expected: string, actual: string): FuzzFinding {
  return { aspect: 'crash', between: 'model and switch', summary, expected, actual };
}
