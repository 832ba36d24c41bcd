/** A neighbour on the underlay that nobody knows is asked for. */
import { blockContains, isIpv4Address } from '../../../base/addresses/ip-address.js';
import { Unsupported } from '../../../base/errors/errors.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import type { ModelNode } from '../../model-node.js';
import type { ModelBridge } from '../../model-bridge.js';
import { parsePacket } from '../../packet/parse-packet.js';
import { neighbourRequest } from '../../tunnels/neighbour-discovery.js';
import { shouldSolicit } from '../../tunnels/tunnel-neighbours.js';
import type { Route } from '../../tunnels/routes.js';
import type { XlateContext } from '../xlate-context.js';
import { avoidCaching } from '../odp-actions.js';

/**
 * The packet is lost; the next one may not be.
 * @throws Unsupported where addresses are learned at the same time: before 4.0 what is cached is
 *   then translated again, and asks again.
 */
export function solicitNeighbour(
  ctx: XlateContext,
  underlay: ModelBridge,
  route: Route,
  next: bigint,
): void {
  const { node } = ctx.frameRun;
  avoidCaching(ctx, 'a neighbour that nobody knows yet');
  if (!shouldSolicit(node, underlay, next)) return;
  const known = countLearned(node);
  const near = underlay.addresses.find(
    ({ address, block }) =>
      isIpv4Address(address) === isIpv4Address(next) && blockContains(block, next),
  );
  ctx.recirculate({
    bridge: underlay,
    table: 0,
    packet: parsePacket(
      neighbourRequest(underlay.plan.mac, near?.address ?? route.source, next),
      reservedPorts.LOCAL,
    ),
    actions: [],
    stack: [],
    mirrored: 0,
  });
  if (node.behaviour.neighbourPatienceMs === 0 && countLearned(node) !== known)
    throw new Unsupported(
      'the model does not know how often Open vSwitch before 4.0 asks for a neighbour while ' +
        'addresses are learned',
    );
}

function countLearned({ bridges }: ModelNode): number {
  return bridges.reduce((sum, { macs }) => sum + macs.size, 0);
}
