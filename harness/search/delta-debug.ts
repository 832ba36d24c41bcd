/**
 * The shortest part of a list for which something still holds, as far as leaving out runs of it
 * finds one: halves first, then ever shorter runs, down to single ones (Zeller's delta debugging).
 * Asks in an order of its own, always the same.
 */
export async function deltaDebug<T>(
  all: readonly T[],
  holds: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = all;
  for (
    let length = Math.ceil(all.length / 2);
    length >= 1;
    length = length === 1 ? 0 : Math.ceil(length / 2)
  ) {
    for (let start = kept.length - length; start > -length; start -= length) {
      const without = [...kept.slice(0, Math.max(0, start)), ...kept.slice(start + length)];
      if (without.length < kept.length && (await holds(without))) kept = without;
    }
  }
  return kept;
}
