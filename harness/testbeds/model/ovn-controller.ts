/**
 * What a bridge that OVN programs hands to its ovn-controller, and the model does not know the
 * answer to: refused by name.
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { SwitchStep } from '../../domain/switching.js';
import type { ModelNode } from '../../model/model-node.js';
import { operationText } from '../../model/ovn-controller/operations.js';

/** @throws Unsupported naming the action where a packet has been handed to an ovn-controller. */
export function refuseOvnController(
  { name, bridges }: ModelNode,
  { packetIns = [] }: SwitchStep = { outputs: [] },
): void {
  const first = packetIns.find(({ bridge }) =>
    bridges.some(({ plan }) => plan.name === bridge && plan.origin === 'dumped'),
  );
  if (first !== undefined)
    throw new Unsupported(
      `${first.bridge} of ${name}, table ${first.table}, hands a packet to ovn-controller for ` +
        `"${operationText(first.userdata, first.reason)}": what that makes of it is not modelled`,
    );
}
