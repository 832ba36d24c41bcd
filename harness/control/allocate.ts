/** Numbers that outlive changes of the cluster: ports, conjunctions. */

/** Numbers by what has them. */
export type Numbers = Readonly<Record<string, number>>;

/**
 * A number for each of `names`, from `first` on. A name that has one keeps it; a new one gets the
 * lowest that nobody has and that nobody had before either, so that no number changes hands within
 * one change.
 */
export function allocate(names: readonly string[], before: Numbers, first: number): Numbers {
  const taken = new Set(Object.values(before));
  let next = first;
  return Object.fromEntries(
    names.map((name) => {
      const kept = before[name];
      if (kept !== undefined) return [name, kept];
      while (taken.has(next)) next += 1;
      taken.add(next);
      return [name, next];
    }),
  );
}
