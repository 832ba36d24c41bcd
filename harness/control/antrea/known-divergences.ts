import type { KnownContradiction } from '../../domain/known-contradiction.js';

/**
 * What both pipelines do otherwise than Kubernetes has it; docs/antrea-pipeline.md has a row of
 * each.
 */
export const knownDivergences: readonly KnownContradiction[] = [
  {
    name: 'own-node-egress',
    cause:
      'Kubernetes, "Network Policies": "traffic to and from the node where a Pod is running is ' +
      'always allowed"; the seed, "EgressDefaultTable": "dropping traffic originating from ' +
      'Pods to ' +
      'which a Network Policy (with an egress rule) is applied"',
  },
];
