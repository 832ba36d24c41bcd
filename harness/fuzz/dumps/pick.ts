import type { Random } from '../../base/random.js';

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.integer(0, values.length - 1)]!;
}

export const one = (random: Random, of: number) => random.integer(1, of) === 1;

export function times<T>(
  random: Random,
  least: number,
  most: number,
  draw: (at: number) => T,
): readonly T[] {
  return Array.from({ length: random.integer(least, most) }, (_, at) => draw(at));
}
