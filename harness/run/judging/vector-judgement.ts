import type { Pass, TestVector } from '../../domain/test-vector.js';
import type { Observation } from '../../domain/observation.js';
import { observedIn } from '../../compare/observed.js';
import type { VectorRecord } from '../records/run-record.js';
import type { VectorReport } from './vector-report.js';
import { type IntentContext, intentOfPass } from './expected-intent.js';
import { differingField } from '../passes.js';

export interface JudgedVector {
  readonly report: VectorReport;
  readonly record: VectorRecord;
  /** What was observed of the real switches, as canonical text; empty where there is no verdict. */
  readonly observed: string;
}
/** The result of its first pass. */
export function observedOf(
  { stimulus }: TestVector,
  seen: Observation | undefined,
): Pick<VectorReport, 'observed'> {
  if (seen === undefined) return {};
  const { kind, by } = observedIn(stimulus, seen.notes);
  return { observed: { kind, by: [...by] } };
}
/** What the sibling has otherwise, and what is promised about it. */
export function siblingOf(
  context: IntentContext,
  planned: readonly Pass[],
): Pick<VectorReport, 'sibling'> {
  const [again, sibling] = (['again', 'sibling'] as const).map((name) =>
    planned.find((pass) => pass.name === name),
  );
  if (again === undefined || sibling === undefined) return {};
  return {
    sibling: {
      differs: differingField(again.stimulus, sibling.stimulus) ?? 'nothing',
      stimulus: { ...sibling.stimulus },
      intent: { ...intentOfPass(context, sibling) },
    },
  };
}
