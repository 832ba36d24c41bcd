import type { KnownContradiction } from '../../domain/known-contradiction.js';

/** Where OVN differs from what Kubernetes promises; docs/ovn.md has a section on each. */
export const knownDivergences: readonly KnownContradiction[] = [
  {
    name: 'first-packet-of-affinity',
    cause:
      'Kubernetes, "Virtual IPs and Service Proxies": with `sessionAffinity: ClientIP` ' +
      'connections of a client "are passed to the same Pod each time"; OVN learns the endpoint ' +
      "by a client's first packet, and drops it (ovn-northd, `commit_lb_aff`)",
  },
];
