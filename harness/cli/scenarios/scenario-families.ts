/** Scenarios that belong together, by their names. */
import { unknownName } from '../../base/errors/errors.js';
import { matchesName } from '../../nightly/points-of-night.js';

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

/**
 * The scenarios that one word asks for: that of this name, those of a family, or those whose names
 * a pattern with `*` matches. A file of one's own is a name as well. @throws InputError with the
 * known ones.
 */
export function scenariosCalled(name: string, names: readonly string[]): readonly string[] {
  if (names.includes(name) || /\.(ts|js|mjs)$/.test(name)) return [name];
  const families = scenarioFamilies(names);
  const family = families.find((one) => one.name === name);
  if (family !== undefined) return family.scenarios;
  const matched = name.includes('*') ? names.filter((one) => matchesName(name, one)) : [];
  if (matched.length > 0) return matched;
  throw unknownName('scenario or family', name, [...families.map((one) => one.name), ...names]);
}
