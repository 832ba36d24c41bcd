/**
 * The values of a field, whose path goes through lists: of `spec.ports.nodePort` those of each
 * port. Empty where nothing is said.
 */
export function fieldValues(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const key of path.split('.'))
    found = found.flatMap((one) => {
      if (typeof one !== 'object' || one === null || !Object.hasOwn(one, key)) return [];
      const inner = (one as Readonly<Record<string, unknown>>)[key];
      return Array.isArray(inner) ? (inner as readonly unknown[]) : [inner];
    });
  return found.filter((one) => one !== undefined && one !== null);
}
