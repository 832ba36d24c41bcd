/**
 * Where on the path the two sides diverge first: at a lookup, at the frame that entered, or at one
 * that left.
 */

import { flowKey } from '../compare/compare-counters.js';
import type { VectorReport } from '../run/judging/vector-report.js';
import type { Hop } from './hops.js';

export type Divergence = { readonly hop: number } & (
  | { readonly kind: 'lookup' | 'left'; readonly index: number }
  | { readonly kind: 'entered' }
);

/**
 * The flow that the verdict names, on the first hop at which frames part; that frame where the flow
 * is not on it.
 */
export function divergenceOf(
  { differences }: VectorReport,
  hops: readonly Hop[],
): Divergence | undefined {
  const location = differences.find((difference) => difference.at !== undefined)?.at;
  const at = location !== undefined && 'flow' in location ? location.flow : undefined;
  const lookupIn = (hop: Hop | undefined): number =>
    at === undefined || hop === undefined
      ? -1
      : hop.lookups.findIndex(({ flow }) => flow !== undefined && flowKey(flow) === flowKey(at));
  const differs = ({ seen }: { readonly seen: string }): boolean =>
    seen.startsWith('by the ') || seen === 'differently';
  const first = hops.findIndex(
    (hop) => (hop.entered !== undefined && differs(hop.entered)) || hop.left.some(differs),
  );
  if (first === -1) {
    const hop = hops.findIndex((candidate) => lookupIn(candidate) !== -1);
    return hop === -1 ? undefined : { kind: 'lookup', hop, index: lookupIn(hops[hop]) };
  }
  const hop = hops[first];
  const index = lookupIn(hop);
  if (index !== -1) return { kind: 'lookup', hop: first, index };
  if (hop?.entered !== undefined && differs(hop.entered)) return { kind: 'entered', hop: first };
  return { kind: 'left', hop: first, index: hop?.left.findIndex(differs) ?? 0 };
}
