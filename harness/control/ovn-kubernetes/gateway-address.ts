import { InputError } from '../../base/errors/errors.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

/** The address of a node's gateway router on the network between nodes. */
export function gatewayAddressOf({ gateways, name }: OvnKubernetesTopology, node: Node): string {
  const address = gateways[node.name];
  if (address === undefined)
    throw new InputError(
      `topology "${name}": gateways: ${node.name} has none, and ovn-kubernetes needs one a node`,
    );
  return address;
}
