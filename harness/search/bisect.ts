/** The first of a series that is bad, where all before it are good; some may not be askable. */

export type Answer =
  | { readonly kind: 'good' | 'bad' }
  /** Nothing is known of it: it does not build, say. */
  | { readonly kind: 'skip'; readonly why: string };

export interface BisectStep<T> {
  readonly candidate: T;
  readonly answer: Answer;
}

export interface BisectResult<T> {
  /** The first that is bad; several where those between were skipped: it is one of them. */
  readonly first: readonly T[];
  readonly steps: readonly BisectStep<T>[];
}

/**
 * @param candidates behind one that is good, up to one that is bad, which is the last. Asked is
 *   the one in the middle, once; of those that are skipped, the nearest that is not.
 */
export async function bisect<T>(
  candidates: readonly T[],
  ask: (candidate: T) => Promise<Answer>,
  onStep: (step: BisectStep<T>, left: number) => void = () => undefined,
): Promise<BisectResult<T>> {
  const steps: BisectStep<T>[] = [];
  const skipped = new Set<number>();
  let [good, bad] = [-1, candidates.length - 1];
  for (;;) {
    const index = nearestAskable(good, bad, skipped);
    const candidate = index === undefined ? undefined : candidates[index];
    if (index === undefined || candidate === undefined)
      return { first: candidates.slice(good + 1, bad + 1), steps };
    const answer = await ask(candidate);
    const step = { candidate, answer };
    steps.push(step);
    if (answer.kind === 'skip') skipped.add(index);
    else if (answer.kind === 'good') good = index;
    else bad = index;
    onStep(step, bad - good - 1);
  }
}

/** Strictly between the two, and the nearest to their middle. */
function nearestAskable(
  good: number,
  bad: number,
  skipped: ReadonlySet<number>,
): number | undefined {
  const middle = (good + bad) / 2;
  return Array.from({ length: Math.max(0, bad - good - 1) }, (_, index) => good + 1 + index)
    .filter((index) => !skipped.has(index))
    .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle) || a - b)[0];
}
