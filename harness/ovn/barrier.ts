/**
 * When OVN is done with what its northbound database holds: named conditions, each of which comes
 * true by itself. nb_cfg alone is not enough: bindings and tunnels may come later.
 */
import type { ChassisPlan } from '../domain/plan/northbound-plan.js';
import { assert } from '../base/errors/errors.js';
import { connectReplica, type Replica } from '../ovs/ovsdb/replica.js';
import type { Operation, Row } from '../ovs/ovsdb/ovsdb.js';
import type { Chassis } from './chassis.js';
import type { TunnelPort } from './tunnels.js';
import type { Zone } from './zone.js';
import { refusedBy } from './with-logs.js';
import { until } from '../base/concurrency/until.js';

/** What of a zone's databases the conditions are about. */
export interface ZoneReplicas {
  readonly north: Replica;
  readonly south: Replica;
  close(): void;
}

export async function watchZone({ north, south }: Zone): Promise<ZoneReplicas> {
  const northReplica = await connectReplica(north.socket, north.name, north.server, {
    NB_Global: ['nb_cfg', 'sb_cfg', 'hv_cfg'],
  });
  const southReplica = await connectReplica(south.socket, south.name, south.server, {
    SB_Global: ['nb_cfg'],
    Chassis: ['name', 'encaps'],
    Port_Binding: ['logical_port', 'chassis', 'additional_chassis', 'up'],
  });
  return {
    north: northReplica,
    south: southReplica,
    close: () => {
      northReplica.close();
      southReplica.close();
    },
  };
}

/**
 * ovn-northd has made the rows that there is one of. Controllers are started behind it: those of
 * OVN 25.03 that find no SB_Global have been seen to end by SIGSEGV.
 */
export async function waitForNorthd(
  { northd }: Zone,
  { north, south }: ZoneReplicas,
  limitMs: number,
): Promise<void> {
  const tables = [
    [north, 'NB_Global'],
    [south, 'SB_Global'],
  ] as const;
  for (const [replica, table] of tables)
    await replica.until(`${northd.name} to begin`, limitMs, (held) =>
      held.rows(table).size === 1 ? [] : [`${table} has no row`],
    );
}

export async function waitForChassis(
  { name }: Zone,
  { south }: ZoneReplicas,
  chassis: readonly ChassisPlan[],
  limitMs: number,
): Promise<void> {
  await south.until(`chassis of zone ${name} to register`, limitMs, (held) => {
    const known = new Set([...held.rows('Chassis').values()].map((row) => row['name']));
    return chassis.filter(({ node }) => !known.has(node)).map(({ node }) => `${node} has not`);
  });
}

/**
 * Asks for a mark that goes through northd and all controllers, once each is done with all that
 * stood before it (ovn-nb(5), NB_Global, "nb_cfg"), and waits until it is through.
 * @param operations what is executed in the same transaction.
 */
export async function throughAllChassis(
  zone: Zone,
  { north }: ZoneReplicas,
  operations: readonly Operation[],
  limitMs: number,
): Promise<void> {
  const asked = zone.north.ovsdb.transact([
    ...operations,
    { op: 'mutate', table: 'NB_Global', where: [], mutations: [['nb_cfg', '+=', 1]] },
    { op: 'select', table: 'NB_Global', where: [], columns: ['nb_cfg'] },
  ]);
  const results = await refusedBy(asked, zone.north.server);
  const wanted = results.at(-1)?.[0]?.['nb_cfg'];
  assert(typeof wanted === 'number', 'the northbound database has nb_cfg');
  await north.until(`northd and controllers of zone ${zone.name}`, limitMs, (held) => {
    const [row = {}] = held.rows('NB_Global').values();
    return (['sb_cfg', 'hv_cfg'] as const).flatMap((column) => {
      const reached = row[column];
      return typeof reached === 'number' && reached >= wanted
        ? []
        : [`${column} is ${String(reached)}, not ${wanted}`];
    });
  });
}

/** Each planned interface is bound at its chassis, and up (ovn-sb(5), Port_Binding, "up"). */
export async function waitForBindings(
  { name }: Zone,
  { south }: ZoneReplicas,
  chassis: readonly ChassisPlan[],
  limitMs: number,
): Promise<void> {
  await south.until(`ports of zone ${name} to be bound`, limitMs, (held) => {
    const nameOf = new Map(
      [...held.rows('Chassis')].map(([uuid, row]) => [uuid, String(row['name'])]),
    );
    const bindings = new Map(
      [...held.rows('Port_Binding').values()].map((row) => [row['logical_port'], row]),
    );
    return chassis.flatMap(({ node, bindings: planned }) =>
      planned.flatMap(({ logicalPort }) => {
        const row = bindings.get(logicalPort);
        if (row === undefined) return [`there is no logical port ${logicalPort}`];
        const at = [...referencesIn(row, 'chassis'), ...referencesIn(row, 'additional_chassis')]
          .map((uuid) => nameOf.get(uuid))
          .join(' and ');
        if (!at.split(' and ').includes(node))
          return [`${logicalPort} is bound at ${at === '' ? 'no chassis' : at}, not at ${node}`];
        return row['up'] === true ? [] : [`${logicalPort} is not up`];
      }),
    );
  });
}

/** The UUIDs in a column of references. */
function referencesIn(row: Row, column: string): readonly string[] {
  const value = row[column];
  if (!Array.isArray(value)) return [];
  const [tag, content] = value as readonly [string, unknown];
  if (tag === 'uuid') return [String(content)];
  return (content as readonly (readonly [string, string])[]).map(([, uuid]) => uuid);
}

/**
 * The controller has programmed the bridge for the tunnels that it has: packets that come out of
 * each have a flow. Their numbers come from the node's own database, and not in order with nb_cfg.
 * @returns what `bridge/dump-flows` prints then.
 */
export async function waitForTunnelFlows(
  { vswitch: { vswitchd }, plan: { node, bridge } }: Chassis,
  tunnels: readonly TunnelPort[],
  limitMs: number,
): Promise<string> {
  let flows = '';
  await until(`ovn-controller of node ${node} to program its tunnels`, limitMs, async () => {
    flows = await vswitchd.unixctl.call('bridge/dump-flows', bridge);
    return tunnels
      .filter(({ ofport }) => !new RegExp(`in_port=${ofport}\\b`).test(flows))
      .map(({ name, ofport }) => `${name} has no flow for in_port=${ofport}`);
  });
  return flows;
}
