/** Scenarios that belong together, by their names. */

export interface ScenarioFamily {
  /** `antrea`, `antrea/windows-*` */
  readonly name: string;
  readonly scenarios: readonly string[];
}

/** Fewer scenarios with the same first word stay among those of their folder. */
const wordShared = 3;

/**
 * A family a folder, and one for each first word that at least three scenarios of it share. Both in
 * the order of `names`.
 */
export function scenarioFamilies(names: readonly string[]): readonly ScenarioFamily[] {
  const countOf = (prefix: string): number =>
    names.filter((name) => name.startsWith(prefix)).length;
  const familyOf = (name: string): string => {
    const prefix = /^.*\/[^/-]+-/.exec(name)?.[0];
    return prefix !== undefined && countOf(prefix) >= wordShared
      ? `${prefix}*`
      : name.replace(/\/[^/]*$/, '');
  };
  return [...new Set(names.map(familyOf))].map((family) => ({
    name: family,
    scenarios: names.filter((name) => familyOf(name) === family),
  }));
}
