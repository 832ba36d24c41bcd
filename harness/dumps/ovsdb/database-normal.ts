import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { oneOf, setOf, type Row } from './database.js';
import type { PortTables } from './database-learning.js';

/** What decides over NORMAL alone. */
export function unknownOfNormal(
  bridge: Row,
  { ports }: PortTables,
): Pick<BridgePlan, 'unknownOfNormal'> {
  const vlans = setOf(bridge, 'flood_vlans');
  const isolated = setOf(bridge, 'ports')
    .flatMap((id) => ports.get(id) ?? [])
    .filter((row) => oneOf(row, 'protected') === 'true')
    .map((row) => oneOf(row, 'name') ?? '');
  const unknown = [
    ...(vlans.length === 0 ? [] : [`flood_vlans=${vlans.join(',')}`]),
    // One protected port alone is kept from none.
    ...(isolated.length < 2 ? [] : [`protected=true of ports ${isolated.join(', ')}`]),
  ];
  return unknown.length === 0 ? {} : { unknownOfNormal: unknown };
}
