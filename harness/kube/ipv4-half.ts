/**
 * The half of a network of both families that is played from manifests: addresses of IPv4. What has
 * an address of IPv6 beside it keeps its own, and what has no other is left out.
 */
import type { Path } from '../base/text/yaml-problem.js';
import type { KubeObject } from './objects.js';
import type { Service } from './schemas/services.js';
import type { KubeNode, KubePod } from './schemas/workloads.js';

export type Ipv4Half =
  /** @param ipv6 its addresses and blocks of IPv6, which nobody is asked by. */
  | { readonly kind: 'ipv4'; readonly object: KubeObject; readonly ipv6: readonly string[] }
  | { readonly kind: 'of IPv6 alone' }
  | { readonly kind: 'wrong'; readonly path: Path; readonly message: string };

export function ipv4Half(object: KubeObject): Ipv4Half {
  switch (object.kind) {
    case 'Pod':
      return halfOfPod(object);
    case 'Node':
      return halfOfNode(object);
    case 'Service':
      return halfOfService(object);
    default:
      return { kind: 'ipv4', object, ipv6: [] };
  }
}

const isIpv6 = (address: string) => address.includes(':');
const isIpv4 = (address: string) => !isIpv6(address);

function halfOfPod(pod: KubePod): Ipv4Half {
  const { podIP, podIPs = [], ...status } = pod.status;
  const listed = podIPs.map(({ ip }) => ip);
  if (podIP !== undefined && listed.length > 0 && !listed.includes(podIP))
    return {
      kind: 'wrong',
      path: ['status', 'podIP'],
      message: `${podIP} is none of podIPs, which are ${listed.join(', ')}`,
    };
  const all = [...new Set([...(podIP === undefined ? [] : [podIP]), ...listed])];
  const ipv6 = all.filter(isIpv6);
  const own = all.find(isIpv4);
  if (own === undefined && ipv6.length > 0 && !pod.spec.hostNetwork)
    return { kind: 'of IPv6 alone' };
  const half = { ...status, ...(own === undefined ? {} : { podIP: own }) };
  return { kind: 'ipv4', object: { ...pod, status: half }, ipv6 };
}

function halfOfNode(node: KubeNode): Ipv4Half {
  const { podCIDR, podCIDRs = [], ...spec } = node.spec;
  const blocks = [...new Set([...(podCIDR === undefined ? [] : [podCIDR]), ...podCIDRs])];
  const internal = node.status.addresses.filter(({ type }) => type === 'InternalIP');
  const [block, address] = [blocks.find(isIpv4), internal.find((one) => isIpv4(one.address))];
  if (block === undefined && blocks.length > 0)
    return {
      kind: 'wrong',
      path: ['spec', 'podCIDR'],
      message: `${blocks.join(', ')} is of IPv6 alone: a node needs a subnet of IPv4 here`,
    };
  if (address === undefined && internal.length > 0)
    return {
      kind: 'wrong',
      path: ['status', 'addresses'],
      message: 'every InternalIP is of IPv6: a node needs an address of IPv4 here',
    };
  const addresses = node.status.addresses.filter(
    (one) => one.type !== 'InternalIP' || isIpv4(one.address),
  );
  return {
    kind: 'ipv4',
    object: {
      ...node,
      spec: { ...spec, ...(block === undefined ? {} : { podCIDR: block }) },
      status: { ...node.status, addresses },
    },
    ipv6: [...blocks, ...internal.map((one) => one.address)].filter(isIpv6),
  };
}

function halfOfService(service: Service): Ipv4Half {
  const { clusterIP, clusterIPs = [], ipFamilies, externalIPs, ...spec } = service.spec;
  const given = [...(clusterIP === undefined ? [] : [clusterIP]), ...clusterIPs];
  const all = [...new Set(given)].filter((ip) => ip !== '');
  const own = all.find(isIpv4);
  const ingress = service.status.loadBalancer?.ingress ?? [];
  const ipv6 = [...all, ...externalIPs, ...ingress.flatMap(({ ip }) => ip ?? [])].filter(isIpv6);
  const isOfIpv6 = ipFamilies !== undefined && !ipFamilies.includes('IPv4');
  if (own === undefined ? all.length > 0 || isOfIpv6 : isOfIpv6 && own !== 'None')
    return { kind: 'of IPv6 alone' };
  const balanced = ingress.filter(({ ip }) => ip === undefined || isIpv4(ip));
  return {
    kind: 'ipv4',
    object: {
      ...service,
      spec: {
        ...spec,
        ...(own === undefined ? {} : { clusterIP: own }),
        externalIPs: externalIPs.filter(isIpv4),
      },
      status: {
        ...service.status,
        ...(service.status.loadBalancer === undefined
          ? {}
          : { loadBalancer: { ...service.status.loadBalancer, ingress: balanced } }),
      },
    },
    ipv6,
  };
}
