/** Which chassis claim a logical port: one, or those that the port is requested for. */
import { Unavailable } from '../base/errors/errors.js';
import type { NorthboundRow, ZonePlan } from '../domain/plan/northbound-plan.js';

/**
 * ovn-controllers of two chassis take such a port from each other without end (OVN
 * controller/binding.c, claim_lport).
 * @throws Unavailable naming the port and the chassis.
 */
export function refuseRivals({ chassis, rows }: Pick<ZonePlan, 'chassis' | 'rows'>): void {
  const claims = new Map<string, string[]>();
  for (const { node, bindings } of chassis)
    for (const { logicalPort } of bindings)
      claims.set(logicalPort, [...(claims.get(logicalPort) ?? []), node]);
  for (const [port, nodes] of claims) {
    const requested = requestedFor(rows, port);
    if (nodes.length > 1 && !nodes.every((node) => requested.includes(node)))
      throw new Unavailable(
        `logical port ${port} is claimed by ${nodes.join(' and ')}, and requested-chassis names ` +
          `${requested.length === 0 ? 'none of them' : requested.join(', ')}: each would take it ` +
          'from the other without end',
        ['bind it on one chassis, or request all of them for it'],
      );
  }
}

function requestedFor(rows: readonly NorthboundRow[], port: string): readonly string[] {
  const row = rows.find(
    ({ table, columns }) => table === 'Logical_Switch_Port' && columns['name'] === port,
  );
  const options = row?.columns['options'];
  return typeof options === 'object' && 'map' in options
    ? (options.map['requested-chassis'] ?? '').split(',').filter((name) => name !== '')
    : [];
}
