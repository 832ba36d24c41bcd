/** What both sides counted, remember and hold when all is over. */
import { compareCounters } from '../compare/compare-counters.js';
import { compareProgram } from '../compare/compare-program.js';
import { compareState } from '../compare/compare-state.js';
import {
  counterFinding,
  programFinding,
  stateFinding,
  unmatchedFinding,
} from '../compare/describe-finding.js';
import type { SwitchState } from '../domain/switch-state.js';
import type { FlowCount } from '../domain/switching.js';
import { noCounts, type Counts, type Finding } from '../domain/verdict.js';
import type { Testbed } from '../testbeds/testbed.js';

/** The side that predicts, and the one that is judged. */
export interface Sides {
  readonly expected: Testbed;
  readonly actual: Testbed;
}

export interface FinalComparison {
  readonly counts: Counts;
  readonly findings: readonly Finding[];
}

/**
 * Counters, connections and learned MACs.
 * @param nodes how many there are: on each, that there is no other entry is a comparison.
 * @param counted what the actual side counted, where it was asked already.
 */
export async function compareFinalState(
  { expected, actual }: Sides,
  nodes: number,
  counted?: readonly FlowCount[],
): Promise<FinalComparison> {
  const counters = compareCounters(await expected.counts(), counted ?? (await actual.counts()));
  const [wanted, seen] = [await expected.state(), await actual.state()];
  const { counts, findings } = compareRemembered(wanted, seen, nodes);
  return {
    counts: { ...counts, counters: counters.count },
    findings: [
      ...counters.differences.map(counterFinding),
      ...counters.unmatched.map(unmatchedFinding),
      ...findings,
    ],
  };
}

/** Connections and learned MACs. */
export function compareRemembered(
  expected: SwitchState,
  actual: SwitchState,
  nodes: number,
): FinalComparison {
  const { connections, macs, differences } = compareState(expected, actual, nodes);
  return { counts: { ...noCounts, connections, macs }, findings: differences.map(stateFinding) };
}

/** Flows, groups and meters. */
export async function comparePrograms({ expected, actual }: Sides): Promise<FinalComparison> {
  const { count, differences } = compareProgram(await expected.program(), await actual.program());
  return { counts: { ...noCounts, program: count }, findings: differences.map(programFinding) };
}
