/** Flows of a switch that OVN programs, without what OVN leaves to chance. */
import { renameCookies, type FlowSource } from './cookies.js';
import { sortCopies } from './copies.js';

/** @param flows as the switch prints them, with their cookies. */
export function canonicalFlows(
  flows: readonly string[],
  sources: readonly FlowSource[],
): readonly string[] {
  return renameCookies(flows, sources).map(sortCopies);
}
