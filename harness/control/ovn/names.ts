import { sha256 } from '../../base/files/digest.js';
import type { Node, Pod } from '../../domain/topology.js';

/** The bridge that ovn-controller programs (ovn-controller(8), "ovn-bridge"). */
export const integrationBridge = 'br-int';

/** The interface of a pod on the integration bridge; its logical port has the pod's name. */
export function interfaceOf({ name }: Pick<Pod, 'name'>): string {
  return `if-${name}`;
}

/**
 * Names of logical switches and of the ports between them and the router, as ovn-kubernetes has
 * them.
 */
export const clusterRouter = 'ovn_cluster_router';
export const routerPortOf = ({ name }: Pick<Node, 'name'>) => `rtos-${name}`;
export const switchPortOf = ({ name }: Pick<Node, 'name'>) => `stor-${name}`;

export function macOfBridge(node: string): string {
  return `02:${sha256(`${integrationBridge} ${node}`)
    .slice(0, 10)
    .replaceAll(/..(?=.)/g, '$&:')}`;
}
