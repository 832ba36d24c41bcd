/** `derive`, asked once for each object: for what follows from data that never changes. */
export function oncePer<Of extends object, Derived>(
  derive: (of: Of) => Derived,
): (of: Of) => Derived {
  const known = new WeakMap<Of, { readonly derived: Derived }>();
  return (of) => {
    const before = known.get(of);
    if (before !== undefined) return before.derived;
    const derived = derive(of);
    known.set(of, { derived });
    return derived;
  };
}
