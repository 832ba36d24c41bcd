/** What would be compared where real switches cannot be asked. */
import type { FinalState } from '../domain/switch-state.js';
import type { Observation } from '../domain/observation.js';
import { noCounts, aspects, addCounts, type Count, type Counts } from '../domain/verdict.js';
import { compareState } from './compare-state.js';
import { compareFrames } from './compare-frames.js';
import { compareCounters } from './compare-counters.js';

export const bothLevels: Count = { expected: 2, made: 2, skipped: 0 };

export function nodesAmong(ports: ReadonlySet<string>): number {
  return new Set([...ports].map((port) => port.split(' ')[0])).size;
}

/** What would be compared if real switches could be asked; none of it is made. */
export function expectedCounts(
  observations: readonly Observation[],
  depth: 'all' | 'cold',
  { counts, state }: FinalState,
  ports: ReadonlySet<string>,
): Counts {
  const { count: counters } = compareCounters(counts, []);
  const { connections, macs } = compareState(
    state,
    { connections: [], macs: [] },
    nodesAmong(ports),
  );
  const expected = addCounts([
    ...observations.map((observation) => {
      const { frames, silence } = compareFrames(observation.frames, [], ports);
      return { ...noCounts, intent: bothLevels, frames, silence };
    }),
    {
      ...noCounts,
      cache: { expected: depth === 'all' ? 1 : 0, made: 0, skipped: 0 },
      counters,
      connections,
      macs,
    },
  ]);
  return Object.fromEntries(
    aspects.map((aspect) => [aspect, { ...expected[aspect], made: 0 }]),
  ) as unknown as Counts;
}
