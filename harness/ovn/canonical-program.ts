/** The program of a switch that OVN programs, without what OVN leaves to chance. */
import { conjunctionNames, renameConjunctions } from './conjunctions.js';
import { renameCookies, type FlowSource } from './cookies.js';
import { sortCopies } from './copies.js';
import { groupNumbers, renumberGroups } from './group-numbers.js';

interface ProgramText {
  readonly flows: readonly string[];
  readonly groups?: readonly string[];
}

/** @param program as the switch prints it, with its cookies. */
export function canonicalProgram(
  { flows, groups = [] }: ProgramText,
  sources: readonly FlowSource[],
): Required<ProgramText> {
  const numbers = groupNumbers(groups);
  const named = renameCookies(flows, sources);
  const names = conjunctionNames(named);
  return {
    flows: named.map((flow) =>
      sortCopies(renumberGroups(renameConjunctions(flow, names), numbers)),
    ),
    groups: groups.map((group) => renumberGroups(group, numbers)),
  };
}
