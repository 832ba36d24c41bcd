/** The verdict on one vector at three levels: intent, model, switch. */
import { promiseKindOf, type PromiseKind } from '../domain/promise-kind.js';
import { aspects, type Aspect } from '../domain/verdict.js';
import type { VectorReport } from '../run/judging/vector-report.js';

export interface Levels {
  /** L0's word; what is `known to diverge` is kept where it does. */
  readonly promise: PromiseKind;
  /** Whether the model did as promised. */
  readonly model: PromiseOutcome;
  /** Whether the switch did as promised. */
  readonly switch: PromiseOutcome;
  /** Whether model and switch did the same. */
  readonly modelAndSwitch: 'agree' | 'diverge' | 'not compared';
}
export type PromiseOutcome = 'kept' | 'broken' | 'not compared';

/** What model and switch are held against each other by, vector by vector. */
const comparedAspects = aspects.filter((aspect) => aspect !== 'program' && aspect !== 'intent');

/** A level that was not compared in full says so, unless a difference was found all the same. */
export function levelsOf({ intent, counts, differences }: VectorReport): Levels {
  const found = (...between: readonly string[]): boolean =>
    differences.some((difference) => between.includes(difference.between));
  const complete = (all: readonly Aspect[]): boolean =>
    all.every((aspect) => counts[aspect].made + counts[aspect].skipped === counts[aspect].expected);
  const kept = (between: string): PromiseOutcome =>
    found(between)
      ? 'broken'
      : counts.intent.made > 0 && complete(['intent'])
        ? 'kept'
        : 'not compared';
  return {
    promise: promiseKindOf(intent),
    model: kept('intent and model'),
    switch: kept('intent and switch'),
    modelAndSwitch: found('model and switch', 'reference and switch')
      ? 'diverge'
      : counts.frames.made + counts.silence.made > 0 && complete(comparedAspects)
        ? 'agree'
        : 'not compared',
  };
}
