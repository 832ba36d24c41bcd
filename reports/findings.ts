import { formatFlowId } from '../harness/nouns/switching.js';
import type { Difference } from '../harness/nouns/verdict.js';
import type { ScenarioReport } from '../harness/run/report.js';

/** What went wrong at one place: the vectors it cost, and the first of them in full. */
export interface Finding {
  readonly ids: readonly [first: string, ...more: string[]];
  readonly difference: Difference;
}

/**
 * Findings of a scenario: flows that were programmed otherwise, then differences that follow from no earlier one. Vectors that
 * part between the same levels, at the same flow and for the same reason, are one finding.
 */
export function findingsOf(scenario: ScenarioReport): readonly Finding[] {
  const found = new Map<string, { ids: [string, ...string[]]; difference: Difference }>();
  const put = (id: string, difference: Difference): void => {
    const { at } = difference;
    const key = at === undefined ? `${id} ${difference.summary}` : `${difference.between} ${at.flow.node} ${at.flow.bridge} ${formatFlowId(at.flow)} ${at.because}`;
    const same = found.get(key);
    if (same === undefined) found.set(key, { ids: [id], difference });
    else same.ids.push(id);
  };
  for (const difference of scenario.program) put('program', difference);
  for (const { id, differences } of scenario.vectors) for (const difference of differences) if (!difference.afterDivergence) put(id, difference);
  return [...found.values()];
}
