/** Names of logical switches, routers and ports, as ovn-kubernetes has them. */
import { sha256 } from '../../base/files/digest.js';
import type { Node } from '../../domain/topology.js';
import type { LauncherPod } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

type Named = Pick<Node, 'name'>;

/** The bridge that ovn-controller programs, and the one that the node's network card is in. */
export const integrationBridge = 'br-int';
export const externalBridge = 'br-ex';

/** The network that gateway routers are at (ovn-kubernetes, `physnet`). */
export const physicalNetwork = 'physnet';

export const clusterRouter = 'ovn_cluster_router';
export const joinSwitch = 'join';
export const transitSwitch = 'transit_switch';
export const gatewayRouterOf = ({ name }: Named) => `GR_${name}`;
export const externalSwitchOf = ({ name }: Named) => `ext_${name}`;

/** Ports between a router and a switch: `rtos` is at the router, `stor` at the switch. */
export const ports = {
  routerToSwitch: ({ name }: Named) => `rtos-${name}`,
  switchToRouter: ({ name }: Named) => `stor-${name}`,
  routerToJoin: (router: string) => `rtoj-${router}`,
  joinToRouter: (router: string) => `jtor-${router}`,
  routerToTransit: ({ name }: Named) => `rtots-${name}`,
  transitToRouter: ({ name }: Named) => `tstor-${name}`,
  gatewayToExternal: (node: Named) => `rtoe-${gatewayRouterOf(node)}`,
  externalToGateway: (node: Named) => `etor-${gatewayRouterOf(node)}`,
  external: ({ name }: Named) => `${externalBridge}_${name}`,
} as const;

/** Both ends of the cable between the two bridges. */
export const cableOf = (node: Named) => ({
  integration: `patch-${integrationBridge}-to-${ports.external(node)}`,
  external: `patch-${ports.external(node)}-to-${integrationBridge}`,
});

/** The interface of a pod on the integration bridge; its logical port has the pod's name. */
export const interfaceOf = ({ name }: { readonly name: string }) => `if-${name}`;
export const interfaceOfLauncher = ({ metadata }: LauncherPod) => interfaceOf(metadata);

export function macOfBridge(node: string): string {
  return `02:${sha256(`${integrationBridge} ${node}`)
    .slice(0, 10)
    .replaceAll(/..(?=.)/g, '$&:')}`;
}
