/** Ports of type localnet: each is by a cable to the bridge of its network. */
import type { ChassisPlan, Localnet } from '../domain/plan/northbound-plan.js';
import { map } from '../ovs/ovsdb/ovsdb-value.js';
import type { Operation } from '../ovs/ovsdb/ovsdb.js';
import type { Vswitch } from '../ovs/vswitch.js';

/** `physnet:br-ex`, as ovn-controller(8) has it ("ovn-bridge-mappings"). */
export function mappingsOf(localnets: readonly Localnet[]): string {
  return [...new Set(localnets.map(({ network, bridge }) => `${network}:${bridge}`))].join(',');
}

/**
 * Marks cables as ovn-controller marks those that it makes itself ("ovn-localnet-port"). It finds
 * them by their ends, and makes none; one that is marked before it knows of the port it removes.
 */
export async function markLocalnets(
  { ovsdb }: Pick<Vswitch, 'ovsdb'>,
  { localnets = [] }: ChassisPlan,
): Promise<void> {
  if (localnets.length > 0) await ovsdb.transact(localnets.map(localnetOperation));
}

function localnetOperation({ port, logicalPort }: Localnet): Operation {
  return {
    op: 'mutate',
    table: 'Port',
    where: [['name', '==', port]],
    mutations: [['external_ids', 'insert', map({ 'ovn-localnet-port': logicalPort })]],
  };
}
