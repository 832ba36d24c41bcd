import type { BondPlan, BridgePlan } from '../../domain/plan/bridge-plan.js';
import { mapOf, oneOf, setOf, type Row } from './database.js';

const modes = ['active-backup', 'balance-slb', 'balance-tcp'] as const;

/** Ports of several interfaces; those stand in the order of their UUIDs in the switch. */
export function bondsOf(
  rows: readonly { readonly port: Row; readonly row: Row }[],
): Pick<BridgePlan, 'bonds'> {
  const ports = [...new Set(rows.map(({ port }) => port))];
  const bonds = ports.flatMap((port): readonly BondPlan[] => {
    const ids = setOf(port, 'interfaces');
    if (ids.length < 2) return [];
    const of = rows.filter((one) => one.port === port).map(({ row }) => row);
    const order = ids
      .map((id, at) => [id, of[at]] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    const members = order.flatMap(([, row]) =>
      row === undefined ? [] : (oneOf(row, 'name') ?? []),
    );
    const mode = modes.find((known) => known === oneOf(port, 'bond_mode')) ?? 'active-backup';
    const active = activeOf(port, of);
    const name = oneOf(port, 'name') ?? '';
    return [{ name, mode, members, ...(active === undefined ? {} : { active }) }];
  });
  return bonds.length === 0 ? {} : { bonds };
}

/** The primary one, or that whose address the switch has noted. */
function activeOf(port: Row, rows: readonly Row[]): string | undefined {
  const names = rows.map((row) => oneOf(row, 'name'));
  const primary = mapOf(port, 'other_config').get('bond-primary');
  if (primary !== undefined && names.includes(primary)) return primary;
  const mac = oneOf(port, 'bond_active_slave');
  const noted = rows.find((row) => mac !== undefined && oneOf(row, 'mac_in_use') === mac);
  return noted === undefined ? undefined : oneOf(noted, 'name');
}

/** What plans have no words for beside a bond. */
export function bondBeside(bridge: Row, port: Row): readonly string[] {
  if (setOf(port, 'interfaces').length < 2) return [];
  const name = oneOf(port, 'name') ?? '';
  return [
    ...(setOf(bridge, 'mirrors').length > 0 ? [`bond ${name} beside mirrors`] : []),
    ...(oneOf(bridge, 'mcast_snooping_enable') === 'true'
      ? [`bond ${name} beside multicast snooping`]
      : []),
  ];
}
