/** The switch as the model's oracle, where OpenFlow leaves an outcome open. */
import { flowKey } from '../compare/compare-counters.js';
import type { Oracle } from '../model/ambiguity.js';
import type { Testbed } from '../testbeds/testbed.js';

/** What switches, or what is kept of them, report of outcomes that are nondeterministic. */
export function oracleFrom({ counts, state }: Pick<Testbed, 'counts' | 'state'>): Oracle {
  return { flowCounts: countOracle(counts), connections: async () => (await state()).connections };
}

function countOracle(read: Testbed['counts']): Oracle['flowCounts'] {
  return async (candidates) => {
    const seen = new Map((await read()).map(({ flow, packets }) => [flowKey(flow), packets]));
    return candidates.map(({ flow }) => seen.get(flowKey(flow)) ?? 0);
  };
}
