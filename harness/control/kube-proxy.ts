/** kube-proxy in its iptables mode, as what it makes a node do with packets for Services. */
import type { ServicePort } from '../kube/endpoints.js';
import type { DestinationRule } from '../nouns/translation.js';

/**
 * A rule for every port of every Service (chains KUBE-SERVICES, KUBE-SVC-…, KUBE-SEP-… and KUBE-MARK-MASQ): any of its ready endpoints, and with
 * affinity the one that the client had last. Who is not of `podCidrs` (`--cluster-cidr`) is masqueraded, and so is an endpoint that gets itself. A
 * port without endpoints is refused.
 */
export function kubeProxyRules(services: readonly ServicePort[], podCidrs: readonly string[]): readonly DestinationRule[] {
  return services.map(({ clusterIp, protocol, port, affinityS, endpoints }): DestinationRule => ({
    match: { ip: clusterIp, protocol, port },
    to: endpoints.map((endpoint) => ({ ip: endpoint.ip, port: endpoint.port })),
    ...(affinityS === undefined ? {} : { affinityS }),
    keepsSenders: podCidrs,
  }));
}
