/**
 * Zones of the connection tracker. ovn-controller numbers them in the order in which ports and
 * datapaths come; it takes the numbers that its bridge has for what it stored there before a
 * restart (ovn-controller(8), "external_ids:ct-zone-*").
 */
import { until } from '../base/concurrency/until.js';
import { map, set } from '../ovs/ovsdb/ovsdb-value.js';
import type { Chassis } from './chassis.js';
import { externalId, uuidIn } from './row-values.js';
import type { Zone } from './zone.js';

/** Zones by the logical port, or the datapath and its use, that each is of. */
export type TrackerZones = ReadonlyMap<string, number>;

const firstZone = 1;
const prefix = 'ct-zone-';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/**
 * Has ovn-controller number its zones in the order of their names. @param before those that it had
 * last: who is among them keeps its zone, with the connections in it.
 */
export async function pinTrackerZones(
  { controller, vswitch, plan: { node, bridge } }: Chassis,
  datapaths: DatapathNames,
  before: TrackerZones,
  limitMs: number,
): Promise<TrackerZones> {
  let wanted = before;
  await until(`ovn-controller of node ${node} to number its zones`, limitMs, async () => {
    const held = readZones(await controller.unixctl.call('ct-zone-list'));
    wanted = numbered([...held.keys()], datapaths, before);
    const wrong = [...wanted].filter(([name, zone]) => held.get(name) !== zone);
    if (wrong.length === 0) return [];
    const keys = [...wanted.keys()].map((name) => `${prefix}${name}`);
    const entries = [...wanted].map(([name, zone]) => [`${prefix}${name}`, String(zone)] as const);
    await vswitch.ovsdb.transact([
      {
        op: 'mutate',
        table: 'Bridge',
        where: [['name', '==', bridge]],
        mutations: [
          ['external_ids', 'delete', set(keys)],
          ['external_ids', 'insert', map(Object.fromEntries(entries))],
        ],
      },
    ]);
    await controller.unixctl.call('inc-engine/recompute');
    return wrong.map(([name, zone]) => `${name} has zone ${held.get(name) ?? '?'}, not ${zone}`);
  });
  return wanted;
}

/** One a line: a name, and its zone. */
export function readZones(list: string): TrackerZones {
  return new Map(
    [...list.matchAll(/^(.+) (\d+)$/gm)].map(([, name = '', zone]) => [name, Number(zone)]),
  );
}

/** What logical datapaths are called, by UUID. */
export type DatapathNames = ReadonlyMap<string, string>;

/** Of all datapaths of a zone. OVN 23.03 calls their zones by UUIDs, which are never the same. */
export async function datapathNames({ south }: Zone): Promise<DatapathNames> {
  const [rows = []] = await south.ovsdb.transact([
    {
      op: 'select',
      table: 'Datapath_Binding',
      where: [],
      columns: ['_uuid', 'external_ids'],
    },
  ]);
  return new Map(rows.map((row) => [uuidIn(row, '_uuid') ?? '', externalId(row, 'name')] as const));
}

/** The lowest numbers that nobody has, and nobody had before, in the order of names. */
export function numbered(
  zones: readonly string[],
  datapaths: DatapathNames,
  before: TrackerZones,
): TrackerZones {
  const taken = new Set(before.values());
  let next = firstZone;
  const ordered = zones
    .map((zone) => ({ zone, name: zone.replace(uuid, (found) => datapaths.get(found) ?? found) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(
    ordered.map(({ zone: name }) => {
      const kept = before.get(name);
      if (kept !== undefined) return [name, kept];
      while (taken.has(next)) next++;
      taken.add(next);
      return [name, next];
    }),
  );
}
