/**
 * Routes of the Windows host that the agent is responsible for (the seed, "Gateway port
 * configuration", "Service Traffic").
 */
import { changedHost, type HostChange, type WindowsHost } from '../../windows/host.js';

/**
 * How the pods of a peer are reached from the host: through the gateway and the tunnel, or
 * straight.
 */
export interface Peer {
  readonly name: string;
  readonly podCidr: string;
  readonly gatewayIp: string;
  readonly underlayIp: string;
  /**
   * `direct`: the peer's own address is the next hop, on the bridge's interface; `routed`: the
   * network between knows the way, the default route does.
   */
  readonly reach: 'tunnel' | 'direct' | 'routed';
}

/**
 * "Every time a new Node joins the cluster, a host routing entry on the gateway port is required".
 * A second call, or one with other addresses, replaces the first.
 */
export function nodeJoined(
  host: WindowsHost,
  { name, podCidr, gatewayIp, underlayIp, reach }: Peer,
  interfaces: { readonly gateway: string; readonly bridge: string },
): HostChange {
  if (!host.routes.some(({ purpose }) => purpose.kind === 'local subnet'))
    return {
      kind: 'refused',
      missed: 'gateway',
      why: `node ${name} can't be routed before ${interfaces.gateway} is there`,
    };
  const others = host.routes.filter(
    ({ purpose }) => !(purpose.kind === 'node' && purpose.name === name),
  );
  const purpose = { kind: 'node', name } as const;
  switch (reach) {
    case 'tunnel':
      return changedHost(host, {
        routes: [
          ...others,
          { destination: podCidr, via: gatewayIp, interface: interfaces.gateway, purpose },
        ],
      });
    case 'direct':
      return changedHost(host, {
        routes: [
          ...others,
          { destination: podCidr, via: underlayIp, interface: interfaces.bridge, purpose },
        ],
      });
    case 'routed':
      return changedHost(host, { routes: others });
  }
}

/** Nothing of the node stays behind; one that is not known is none. */
export function nodeLeft(host: WindowsHost, name: string): HostChange {
  return changedHost(host, {
    routes: host.routes.filter(
      ({ purpose }) => !(purpose.kind === 'node' && purpose.name === name),
    ),
  });
}
