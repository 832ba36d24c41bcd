/** kube-proxy in its iptables mode, as what it makes a node do with packets for Services. */
import {
  endpointsOn,
  type Endpoint,
  type ServicePort,
} from '../kube/services/service-endpoints.js';
import type { Node } from '../domain/topology.js';
import type { AddressAndPort, DnatRule } from '../domain/plan/nat-plan.js';

type Asked = Pick<DnatRule['match'], 'ip' | 'port'>;

/**
 * Rules for every port of every Service (chains KUBE-SERVICES, KUBE-NODEPORTS, KUBE-SVC-…,
 * KUBE-SEP-… and KUBE-MARK-MASQ): any of its ready endpoints, and with affinity the one that the
 * client had last. Who is not of `podCidrs` (`--cluster-cidr`) is masqueraded, and so is an
 * endpoint that gets itself. A port without endpoints is refused.
 */
export function kubeProxyRules(
  services: readonly ServicePort[],
  podCidrs: readonly string[],
  node: Node,
): readonly DnatRule[] {
  return [
    ...services.flatMap((service) => [
      inside(service, podCidrs, node),
      ...[...service.loadBalancerIps, ...service.externalIps].flatMap((ip) =>
        fromOutside(service, { ip, port: service.port }, podCidrs, node),
      ),
    ]),
    // KUBE-NODEPORTS comes last, and is about every address of the node.
    ...services.flatMap((service) =>
      service.nodePort === undefined
        ? []
        : addressesOf(node).flatMap((ip) =>
            fromOutside(service, { ip, port: service.nodePort ?? 0 }, podCidrs, node),
          ),
    ),
  ];
}

/** With the internal policy Local (KUBE-SVL-…) an endpoint on this node, or nothing. */
function inside(service: ServicePort, podCidrs: readonly string[], node: Node): DnatRule {
  return ruleFor(
    service,
    { ip: service.clusterIp, port: service.port },
    {
      keepsSenders: podCidrs,
      ...(service.internalTraffic === 'Local' && service.endpoints.length > 0
        ? { to: endpointsOn(service, node.name), nobody: 'lost' as const }
        : {}),
    },
  );
}

/**
 * Chains KUBE-EXT-… and KUBE-SVL-… (KUBE-XLB-… before Kubernetes 1.24). With the policy Cluster
 * whoever asks gets any endpoint and is masqueraded. With Local pods get what they would get by the
 * ClusterIP, and so does the node itself, masqueraded; who comes from outside gets an endpoint on
 * this node, which sees it as it is, or nothing.
 */
function fromOutside(
  service: ServicePort,
  asked: Asked,
  podCidrs: readonly string[],
  node: Node,
): readonly DnatRule[] {
  if (service.externalTraffic === 'Cluster' || service.endpoints.length === 0)
    return [ruleFor(service, asked, { keepsSenders: [] })];
  return [
    ruleFor(service, asked, { from: podCidrs, keepsSenders: podCidrs }),
    ruleFor(service, asked, { from: addressesOf(node).map((ip) => `${ip}/32`), keepsSenders: [] }),
    ruleFor(service, asked, {
      to: endpointsOn(service, node.name),
      nobody: 'lost',
      keepsSenders: ['0.0.0.0/0'],
    }),
  ];
}

interface RuleOptions extends Pick<DnatRule, 'keepsSenders' | 'nobody'> {
  readonly from?: readonly string[];
  readonly to?: readonly Endpoint[];
}

function ruleFor(
  { name, protocol, affinityS, endpoints }: ServicePort,
  asked: Asked,
  { from, to = endpoints, ...more }: RuleOptions,
): DnatRule {
  return {
    match: { ...asked, protocol, ...(from === undefined ? {} : { from }) },
    to: to.map(({ ip, port }): AddressAndPort => ({ ip, port })),
    ...(affinityS === undefined ? {} : { affinity: { name, seconds: affinityS } }),
    ...more,
  };
}

function addressesOf({ gateway, underlay, adapters = [] }: Node): readonly string[] {
  return [gateway, underlay, ...adapters].map(({ ip }) => ip);
}
