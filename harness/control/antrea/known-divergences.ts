import type { KnownContradiction } from '../../domain/known-contradiction.js';

/**
 * Where both pipelines differ from what Kubernetes promises; docs/antrea-pipeline.md has a row of
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
