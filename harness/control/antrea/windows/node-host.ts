/** A Windows node's own network stack. */
import { parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import type { HostPlan, InterfacePlan, RoutePlan } from '../../../domain/plan/host-plan.js';
import type { HostRoute, WindowsHost } from '../../windows/host.js';
import { virtualService } from './virtual-service.js';
import { type NodeView, integrationBridge, gatewayPort } from '../node-view.js';
import { defaultRoute } from '../hosts.js';
import { netNatPlan } from '../../windows/net-nat.js';
import { serviceAdapter } from '../../windows/kube-proxy.js';

/** The route to the local subnet comes with the gateway's address. */
export function routePlan({
  destination,
  via,
  interface: name,
  purpose,
}: HostRoute): readonly RoutePlan[] {
  if (purpose.kind === 'local subnet') return [];
  return [
    {
      destination,
      via: via === 'on-link' ? destination.replace(/\/.*/, '') : via,
      interface: name,
      onlink: true,
    },
  ];
}

/**
 * Every adapter with an address, antrea-gw0 first: what is asked of a node is asked of its place
 * among the pods. "For the traffic that is connected to the Windows network adapters other than the
 * OVS uplink interface, it is managed by Windows host": those are at no port of the switch.
 */
export function nodeHost(
  {
    node,
    adapters,
    routes,
    forwarding,
    neighbours,
    netNat,
    serviceAddresses,
    proxies,
  }: WindowsHost,
  view: NodeView,
): HostPlan {
  const { gateway, podCidr, listens } = view.node;
  const own = adapters.flatMap(({ name, mac, address }): readonly InterfacePlan[] =>
    address === undefined
      ? []
      : [{ name, ...(name === integrationBridge ? { port: name } : {}), mac, ...address }],
  );
  const gatewayInterface: InterfacePlan = {
    name: gatewayPort.name,
    port: gatewayPort.name,
    mac: gateway.mac,
    ip: gateway.ip,
    prefixLength: parseCidr(podCidr).prefixLength,
  };
  return {
    name: node,
    kind: 'windows-node',
    interfaces: [
      gatewayInterface,
      ...own,
      ...serviceAddresses.map((ip) => ({ ...serviceAdapter, ip, prefixLength: 32 })),
    ],
    routes: [...routes.flatMap(routePlan), ...defaultRoute(view, integrationBridge)],
    ...(listens === undefined ? {} : { listens }),
    forwarding: netNatPlan(netNat?.internalPrefix, [`${virtualService.ip}/32`]),
    forwardsFrom: forwarding,
    neighbours: neighbours.map(({ ip, mac }) => ({ ip, mac })),
    ...(proxies.length === 0 ? {} : { proxies }),
  };
}
