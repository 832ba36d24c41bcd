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

/** `derive`, asked once, when its result is asked for; what it was made of is let go then. */
export function once<Derived>(derive: () => Derived): () => Derived {
  let state: { readonly derive: () => Derived } | { readonly derived: Derived } = { derive };
  return () => {
    if ('derive' in state) state = { derived: state.derive() };
    return state.derived;
  };
}
