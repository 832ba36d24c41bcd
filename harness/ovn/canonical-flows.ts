/** Flows of a switch that OVN programs, without what OVN leaves to chance. */
import { conjunctionNames, renameConjunctions } from './conjunctions.js';
import { renameCookies, type FlowSource } from './cookies.js';
import { sortCopies } from './copies.js';

/** @param flows as the switch prints them, with their cookies. */
export function canonicalFlows(
  flows: readonly string[],
  sources: readonly FlowSource[],
): readonly string[] {
  const named = renameCookies(flows, sources);
  const names = conjunctionNames(named);
  return named.map((flow) => sortCopies(renameConjunctions(flow, names)));
}
