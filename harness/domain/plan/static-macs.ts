/** Addresses that a plan gives to bridges, beside what they learn. */
import type { LearnedMac } from '../switch-state.js';
import type { NodePlan } from './cluster-plan.js';

/** The static addresses of a node's bridges, as `fdb/show` has them of each. */
export function staticMacsOf({ node, bridges }: NodePlan): readonly LearnedMac[] {
  return bridges.flatMap(({ name, staticMacs = [] }) =>
    staticMacs.map((entry) => ({ node, bridge: name, ...entry })),
  );
}
