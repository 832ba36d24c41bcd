/**
 * Whether two sets of samples come from the same distribution (Mann and Whitney, "On a Test of
 * Whether one of Two Random Variables is Stochastically Larger than the Other", 1947).
 */

/**
 * The two-sided probability of ranks at least as far apart, by the normal approximation with ties
 * and a correction for continuity. Both should have eight samples or more.
 */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [
    ...a.map((value) => ({ value, of: 'a' })),
    ...b.map((value) => ({ value, of: 'b' })),
  ];
  const sorted = all.toSorted((x, y) => x.value - y.value);
  let [rankSum, ties] = [0, 0];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.value === sorted[start]?.value) end++;
    const rank = (start + 1 + end) / 2;
    rankSum += rank * sorted.slice(start, end).filter(({ of }) => of === 'a').length;
    ties += (end - start) ** 3 - (end - start);
    start = end;
  }
  const [n, m] = [a.length, b.length];
  const u = rankSum - (n * (n + 1)) / 2;
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
