/** Drawing from a stream of random numbers. */
import { assert } from '../../base/errors/errors.js';
import type { Random } from '../../base/random.js';
import { pick } from '../../model/testkit/arbitrary-frame.js';

export { pick };

export function chance(random: Random, percent: number): boolean {
  return random.integer(1, 100) <= percent;
}

/** One of the values, each as often as its weight says. */
export function weighted<T>(
  random: Random,
  choices: readonly (readonly [weight: number, value: T])[],
): T {
  let left = random.integer(
    1,
    choices.reduce((sum, [weight]) => sum + weight, 0),
  );
  for (const [weight, value] of choices) {
    left -= weight;
    if (left <= 0) return value;
  }
  assert(false, 'weights add up');
}

/** Up to `most` different ones, in the order of `from`. */
export function some<T>(random: Random, from: readonly T[], most: number): readonly T[] {
  const chosen = new Set(times(Math.min(most, from.length), () => pick(random, from)));
  return from.filter((each) => chosen.has(each));
}

export function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
