import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { createHash } from 'node:crypto';

/**
 * Integers from a seed; `purpose` keeps streams apart, so that one more draw here moves nothing
 * elsewhere.
 */
export interface Random {
  /** An integer from `from` to `to`, both included. */
  integer(from: number, to: number): number;
}

/**
 * The stream of random numbers that belongs to `seed` and `purpose`: the same for the same two, for
 * ever.
 */
export function randomFor(seed: number, purpose: string): Random {
  const start = createHash('sha256').update(`${seed} ${purpose}`).digest().readInt32LE(0);
  const generator = xoroshiro128plus(start);
  return { integer: (from, to) => uniformInt(generator, from, to) };
}
