import { InputError } from '../../harness/base/errors/errors.js';
import { ipv4Number } from '../../harness/base/addresses/mac-and-ipv4.js';
import type { Cluster } from '../../harness/kube/objects.js';
import type { ManifestFile } from '../../harness/kube/manifests.js';
import { addressIn } from '../addresses.js';
import { readCluster } from '../kubernetes.js';
import type { OvnCniCluster } from './ovn-cni-topology.js';

/**
 * The cluster of manifests, with the addresses that the plugin gives: the first of a node's subnet
 * to the router, the next ones to the pods in their order, and MACs that are 0a:58 and the address.
 */
export function ovnCniCluster(
  files: readonly ManifestFile[],
  name: string,
  watcher: OvnCniCluster['watcher'],
): OvnCniCluster {
  return withPluginMacs(readCluster(files, { name }), watcher);
}

/**
 * The cluster as somebody has written it, at its beginning. @throws InputError where a pod is
 * written with another address than the plugin gives.
 */
export function asOvnCniCluster(
  cluster: Cluster,
  watcher: OvnCniCluster['watcher'],
): OvnCniCluster {
  const wrong = cluster.nodes.flatMap(({ name, gateway, pods }) =>
    pods.flatMap((pod, index) => {
      const given = addressIn(gateway.ip, index + 1);
      return pod.ip === given
        ? []
        : [
            `pod ${pod.name} on ${name}: status.podIP is ${pod.ip}, and ovn_cni gives it ` +
              `${given}: ` +
              'it has addresses of its own to give, in the order of pods: leave podIP out',
          ];
    }),
  );
  if (wrong.length > 0) throw new InputError(wrong);
  return withPluginMacs(cluster, watcher);
}

/** Its pods may have come and gone, and have addresses that were free then. */
function withPluginMacs(cluster: Cluster, watcher: OvnCniCluster['watcher']): OvnCniCluster {
  return {
    ...cluster,
    watcher,
    nodes: cluster.nodes.map((node) => ({
      ...node,
      gateway: { ...node.gateway, mac: macOfAddress(node.gateway.ip) },
      pods: node.pods.map((pod) => ({ ...pod, mac: macOfAddress(pod.ip) })),
    })),
  };
}

/** The cluster before the ports of these pods are plugged. */
export function withUnbound(cluster: OvnCniCluster, names: readonly string[]): OvnCniCluster {
  const isUnbound = ({ name }: { readonly name: string }) => names.includes(name);
  return {
    ...cluster,
    nodes: cluster.nodes.map((node) => ({
      ...node,
      pods: node.pods.filter((pod) => !isUnbound(pod)),
    })),
    unbound: cluster.nodes.flatMap(({ name, pods }) =>
      pods.filter(isUnbound).map((pod) => ({ node: name, pod })),
    ),
  };
}

/** Nodes n1, n2, … with pods p1, p2, … in namespace `default`. */
export function equalOvnCniCluster(
  nodes: number,
  podsPerNode: number,
  watcher: OvnCniCluster['watcher'],
): OvnCniCluster {
  const indices = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const objects = indices(nodes).flatMap((node) => [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${node}` },
      spec: { podCIDR: `10.10.${node}.0/24` },
    },
    ...indices(podsPerNode).map((pod) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${(node - 1) * podsPerNode + pod}` },
      spec: { nodeName: `n${node}`, containers: [{ name: 'c' }] },
    })),
  ]);
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  return ovnCniCluster([{ file: 'equal nodes', text }], `ovn-cni-${nodes}x${podsPerNode}`, watcher);
}

function macOfAddress(ip: string): string {
  const number = ipv4Number(ip);
  return [0x0a, 0x58, number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join(':');
}
