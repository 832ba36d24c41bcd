/** Where tunnels leave: the routes of a node's underlays (Open vSwitch lib/ovs-router.c). */
import { Unsupported } from '../../base/errors/errors.js';
import {
  addressBlock,
  addressNumber,
  blockContains,
  isIpv4Address,
  type AddressBlock,
} from '../../base/addresses/ip-address.js';
import type { BridgePlan, UnderlayPlan } from '../../domain/plan/bridge-plan.js';
import type { Behaviour } from '../behaviour.js';

export interface OwnAddress {
  readonly address: bigint;
  readonly block: AddressBlock;
}

export interface Route {
  /** The bridge behind whose LOCAL port the network is. */
  readonly bridge: string;
  readonly destination: AddressBlock;
  /** The bridge's own address towards it. */
  readonly source: bigint;
  readonly gateway?: bigint;
  readonly mark: number;
}

/** The addresses of a bridge's LOCAL port; none where nothing ends there. */
export function ownAddresses({ underlay }: BridgePlan): readonly OwnAddress[] {
  if (underlay === undefined) return [];
  return [underlay, ...(underlay.ipv6 === undefined ? [] : [underlay.ipv6])].map(
    ({ ip, prefixLength }) => ({
      address: addressNumber(ip),
      block: addressBlock(`${ip}/${prefixLength}`),
    }),
  );
}

/**
 * The longest prefixes first; of equal ones, the one that was set last.
 * @throws Unsupported for routes of which nobody can say what Open vSwitch makes of them.
 */
export function routesOf(bridges: readonly BridgePlan[]): readonly Route[] {
  const routes = bridges.flatMap((bridge) =>
    bridge.underlay === undefined ? [] : routesOfBridge(bridge, bridge.underlay),
  );
  return routes.reverse().sort((a, b) => b.destination.prefixLength - a.destination.prefixLength);
}

function routesOfBridge(bridge: BridgePlan, { routes = [] }: UnderlayPlan): readonly Route[] {
  const own = ownAddresses(bridge);
  return [
    ...own.map(({ address, block }) => ({
      bridge: bridge.name,
      destination: block,
      source: address,
      mark: 0,
    })),
    ...routes.map(({ destination, gateway, mark = 0 }): Route => {
      const block = addressBlock(destination);
      const via = gateway === undefined ? undefined : addressNumber(gateway);
      const source =
        own.find((candidate) => blockContains(candidate.block, block.address)) ??
        own.find((candidate) => via !== undefined && blockContains(candidate.block, via));
      if (source === undefined)
        throw new Unsupported(
          `Open vSwitch does not take the route to ${destination}: bridge ${bridge.name} has ` +
            'no address towards it',
        );
      if (mark === 0 && own.some((candidate) => blockContains(candidate.block, block.address)))
        throw new Unsupported(
          `the model does not know a route to ${destination}, which is in a network of bridge ` +
            `${bridge.name} itself`,
        );
      if (block.prefixLength === 0)
        throw new Unsupported(
          'the model does not know the route to ::/0, which some versions of Open vSwitch ' +
            'take for IPv4 as well',
        );
      return {
        bridge: bridge.name,
        destination: block,
        source: source.address,
        mark,
        ...(via === undefined ? {} : { gateway: via }),
      };
    }),
  ];
}

/** The first of `routes` for packets with this mark. */
export function routeTo(
  routes: readonly Route[],
  address: bigint,
  mark: number,
): Route | undefined {
  return routes.find((route) => route.mark === mark && blockContains(route.destination, address));
}

/** Whether a tunnel may leave from this address: a local route must lead to it. */
export function isLocalSource(
  own: readonly OwnAddress[],
  source: bigint,
  mark: number,
  { localRoutes }: Behaviour,
): boolean {
  // an IPv6 source is not read
  if (!isIpv4Address(source) && localRoutes === 'none') return true;
  if (mark !== 0 || localRoutes === 'none') return false;
  return own.some(({ address, block }) =>
    localRoutes === 'to networks' ? blockContains(block, source) : address === source,
  );
}
