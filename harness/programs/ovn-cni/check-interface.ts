/** What of CHECK is about interfaces: the container's, and its end on the host. */
import { notAsAdded } from './cni-error.js';
import {
  seenInterface,
  seenOnHost,
  seenRoutes,
  type SeenInterface,
} from './container-interface.js';
import type { NodeNetwork, PortRow } from './node-network.js';
import type { Listed, ListedRoute } from './previous-result.js';

/** @throws CniError that says what is not as ADD has made it, or as `listed` says. */
export async function checkContainer(
  { netns, ifname }: { readonly netns: string; readonly ifname: string },
  { ip, mac }: PortRow,
  { prefixLength, gateway }: NodeNetwork,
  listed: Listed,
  mtu: number | undefined,
): Promise<void> {
  const seen = await seenInterface(netns, ifname);
  if (seen === undefined) throw notAsAdded(`${netns} has no interface "${ifname}"`);
  if (seen.address !== mac) throw notAsAdded(`${ifname} has the MAC ${seen.address}, not ${mac}`);
  for (const address of new Set([`${ip}/${prefixLength}`, ...listed.addresses]))
    if (!seen.addr_info.some(({ local, prefixlen }) => `${local}/${prefixlen}` === address))
      throw notAsAdded(`${ifname} has not the address ${address}`);
  checkLink(seen, ifname, listed.container?.mtu ?? mtu);
  const made: readonly ListedRoute[] = [{ dst: '0.0.0.0/0', gw: gateway }];
  const there = await seenRoutes(netns);
  for (const { dst, gw } of listed.routes.length === 0 ? made : listed.routes) {
    const wanted = dst === '0.0.0.0/0' || dst === '::/0' ? 'default' : dst;
    const found = there.filter((route) => route.dst === wanted);
    if (found.length === 0) throw notAsAdded(`${netns} has no route to ${dst}`);
    if (gw !== undefined && !found.some((route) => route.gateway === gw))
      throw notAsAdded(
        `the route to ${dst} goes by ${found[0]?.gateway ?? 'no gateway'}, not by ${gw}`,
      );
  }
}

/** @throws CniError as `checkContainer`. */
export async function checkHostEnd(name: string, mtu: number | undefined): Promise<void> {
  const seen = await seenOnHost(name);
  if (seen === undefined) throw notAsAdded(`the host has no interface "${name}"`);
  checkLink(seen, name, mtu);
}

function checkLink(seen: SeenInterface, name: string, mtu: number | undefined): void {
  const isDown = ['DOWN', 'LOWERLAYERDOWN'].includes(seen.operstate);
  if (isDown || !seen.flags.includes('UP')) throw notAsAdded(`${name} is down (${seen.operstate})`);
  if (mtu !== undefined && seen.mtu !== mtu)
    throw notAsAdded(`${name} has an MTU of ${seen.mtu}, not ${mtu}`);
}
