import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { Unsupported } from '../../base/errors/errors.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import type { Topology } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

/** A network, and by which family of addresses is asked. */
interface AskedNetwork extends OvnKubernetesTopology {
  readonly isAskedOverIpv6?: boolean;
}

/** A promise about `what` that there is none of. */
export function silent(what: string): () => never {
  return () => {
    throw new Unsupported(`nothing is promised about ${what} where ovn-kubernetes is`);
  };
}

/** Only networks of this shape get here. */
export function asOvnKubernetes(network: Topology): AskedNetwork {
  return network as AskedNetwork;
}

/** Nodes have no port on a logical switch. @throws Unsupported for one. */
export function onlyPods(...ends: readonly ClusterHost[]): void {
  if (ends.some(({ kind }) => kind !== 'pod')) silent('nodes')();
}

/** Whether the block has the address. */
export function isIn(cidr: string, ip: string): boolean {
  return cidrContains(parseCidr(cidr), ipv4Number(ip));
}
