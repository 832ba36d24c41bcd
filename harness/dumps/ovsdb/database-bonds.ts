import type { BondPlan, BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { SpokenProtocol } from '../../domain/plan/port-plan.js';
import { mapOf, oneOf, setOf, type Row } from './database.js';

const modes = ['active-backup', 'balance-slb', 'balance-tcp'] as const;

/** Ports of several interfaces; those stand in the order of their UUIDs in the switch. */
export function bondsOf(
  bridge: Row,
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
    const config = mapOf(port, 'other_config');
    const hashBasis = Number(/^\d+$/.exec(config.get('bond-hash-basis') ?? '')?.[0] ?? 0);
    const unknown = [...unknownOf(bridge, port), ...of.flatMap(decidedByProtocols)];
    return [
      {
        name,
        mode,
        members,
        ...(active === undefined ? {} : { active }),
        ...(hashBasis === 0 ? {} : { hashBasis }),
        ...(config.get('all-members-active') === 'true' ? { multicast: 'at all members' } : {}),
        ...(unknown.length === 0 ? {} : { unknown }),
      },
    ];
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

/** What decides over packets that meet the bond, and the model does not know. */
function unknownOf(bridge: Row, port: Row): readonly string[] {
  const config = mapOf(port, 'other_config');
  const set = (
    [
      ['lacp', oneOf(port, 'lacp'), 'off'],
      ['bond_updelay', oneOf(port, 'bond_updelay'), '0'],
      ['bond_downdelay', oneOf(port, 'bond_downdelay'), '0'],
      ['bond-detect-mode', config.get('bond-detect-mode'), 'carrier'],
    ] as const
  ).flatMap(([name, value = '', usual]) =>
    value === '' || value === usual ? [] : [`${name}=${value}`],
  );
  return oneOf(bridge, 'mcast_snooping_enable') === 'true'
    ? [...set, 'multicast snooping of its bridge']
    : set;
}

/** Members that are up only if BFD or CFM say so. */
function decidedByProtocols(row: Row): readonly string[] {
  return spokenAt(row)
    .filter((protocol) => protocol !== 'lldp')
    .map((protocol) => `${protocol} of ${oneOf(row, 'name')}`);
}

/** What the switch speaks at an interface. */
export function spokenAt(row: Row): readonly SpokenProtocol[] {
  return [
    ...(mapOf(row, 'bfd').get('enable') === 'true' ? (['bfd'] as const) : []),
    ...(oneOf(row, 'cfm_mpid') === undefined ? [] : (['cfm'] as const)),
    ...(mapOf(row, 'lldp').get('enable') === 'true' ? (['lldp'] as const) : []),
  ];
}

/** LACP of a port that is no bond. */
export function lonelyLacp(port: Row): readonly SpokenProtocol[] {
  const lacp = oneOf(port, 'lacp') ?? 'off';
  return lacp === 'off' || setOf(port, 'interfaces').length > 1 ? [] : ['lacp'];
}
