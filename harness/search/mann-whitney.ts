/**
 * Whether two sets of samples come from the same distribution (Mann and Whitney, "On a Test of
 * Whether one of Two Random Variables is Stochastically Larger than the Other", 1947).
 */

/**
 * The two-sided probability of ranks at least as far apart: counted where there are few samples and
 * no two are equal, else by the normal approximation with ties and a correction for continuity.
 */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const { u, ties } = ranked(a, b);
  if (a.length === 0 || b.length === 0) return 1;
  const [n, m] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  return ties === 0 && n * n * m * (n + m) <= countingStepsMax
    ? exactly(u, n, m)
    : approximately(u, ties, n, m);
}

/** Beyond 25 samples of each the approximation is as good. */
const countingStepsMax = 800_000;

/** The smallest probability that so many samples can come to. */
export function smallestProbability(n: number, m: number): number {
  let ways = 1;
  for (let index = 1; index <= Math.min(n, m); index++)
    ways = (ways * (Math.max(n, m) + index)) / index;
  return Math.min(1, 2 / ways);
}

/** How often a sample of `a` is above one of `b`, and how much of the ranks is tied. */
function ranked(
  a: readonly number[],
  b: readonly number[],
): { readonly u: number; readonly ties: number } {
  const sorted = [
    ...a.map((value) => ({ value, of: 'a' })),
    ...b.map((value) => ({ value, of: 'b' })),
  ].toSorted((x, y) => x.value - y.value);
  let [rankSum, ties] = [0, 0];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.value === sorted[start]?.value) end++;
    const rank = (start + 1 + end) / 2;
    rankSum += rank * sorted.slice(start, end).filter(({ of }) => of === 'a').length;
    ties += (end - start) ** 3 - (end - start);
    start = end;
  }
  return { u: rankSum - (a.length * (a.length + 1)) / 2, ties };
}

/** All orders of the samples are as likely: those with a `u` at least as far out are counted. */
function exactly(u: number, n: number, m: number): number {
  // ways[k][s]: subsets of k of the ranks so far whose sum is s above the least.
  const ways = Array.from({ length: n + 1 }, () => new Float64Array(n * m + 1));
  const [first] = ways;
  if (first !== undefined) first[0] = 1;
  for (let rank = 0; rank < n + m; rank++)
    for (let size = Math.min(rank + 1, n); size >= 1; size--) {
      const [smaller, larger] = [ways[size - 1], ways[size]];
      // The sum of `size` ranks is `sum` above the least that it can be.
      const more = rank - (size - 1);
      if (smaller === undefined || larger === undefined) continue;
      for (let sum = n * m; sum >= more; sum--)
        larger[sum] = (larger[sum] ?? 0) + (smaller[sum - more] ?? 0);
    }
  const last = ways[n] ?? new Float64Array();
  const total = last.reduce((sum, count) => sum + count, 0);
  const out = Math.min(u, n * m - u);
  const tail = last.slice(0, Math.floor(out) + 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * tail) / total);
}

function approximately(u: number, ties: number, n: number, m: number): number {
  const total = n + m;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  if (!(variance > 0)) return 1;
  const z = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / Math.sqrt(variance);
  return Math.min(1, 2 * upperTail(z));
}

/** P(Z > z) of the normal distribution, to seven digits (Abramowitz and Stegun, 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}
