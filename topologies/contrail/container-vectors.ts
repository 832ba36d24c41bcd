/** Addresses that containers' vectors are about. */
import { assert } from '../../harness/base/errors/errors.js';
import type { AttachedContainer, VirtualNetwork } from './contrail-cluster.js';

/** The gateway of the subnet that the container is on. */
export function gatewayOf(
  virtualNetworks: readonly VirtualNetwork[],
  container: AttachedContainer | undefined,
): string {
  const subnet = virtualNetworks
    .flatMap(({ subnets }) => subnets)
    .find(({ id }) => id === container?.subnet);
  assert(subnet !== undefined, `there is a subnet ${container?.subnet}`);
  return subnet.gateway;
}
