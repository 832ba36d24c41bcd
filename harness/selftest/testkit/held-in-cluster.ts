/** What containers of all nodes have in the databases of OVN and of the nodes. */
import { Unavailable } from '../../base/errors/errors.js';
import { dropGroup, keys, owner, released } from '../../control/ovn-cni/names.js';
import type { Topology } from '../../domain/topology.js';
import { map } from '../../ovs/ovsdb/ovsdb-value.js';
import { connectOvsdb, type Ovsdb, type Row, type Value } from '../../ovs/ovsdb/ovsdb.js';
import { nodeFolder } from '../../testbeds/sim/configure/folders.js';

export interface HeldInCluster {
  /** Logical ports of containers. */
  readonly ports: readonly string[];
  /** Node, address and the port that holds it; those that were released are not held. */
  readonly addresses: readonly string[];
  /** So many ports are under the drop ACL. */
  readonly closed: number;
  /** Node and interface. */
  readonly interfaces: readonly string[];
  /** Addresses in sets that no container holds. */
  readonly strangers: readonly string[];
}

export interface OpenedCluster {
  held(): Promise<HeldInCluster>;
  /** All rows of these tables, without what grows with each use of an address or a mark. */
  everything(): Promise<unknown>;
  close(): void;
}

const tables = {
  Logical_Switch: ['name', 'external_ids'],
  Logical_Switch_Port: ['name', 'addresses'],
  Logical_Router: ['name'],
  Logical_Router_Port: ['name', 'networks'],
  Port_Group: ['name', 'ports'],
  Address_Set: ['name', 'addresses'],
  ACL: ['match', 'direction', 'action'],
} as const;

/** @param dir of the folders of all daemons. */
export async function openCluster(
  dir: string,
  { nodes }: Pick<Topology, 'nodes'>,
): Promise<OpenedCluster> {
  const peer = { name: 'a database', whyEnded: async () => new Unavailable('it has gone') };
  const north = await connectOvsdb(`${dir}/global~nb/db.sock`, 'OVN_Northbound', peer);
  const ofNodes = await Promise.all(
    nodes.map(async ({ name }) => ({
      name,
      ovsdb: await connectOvsdb(`${nodeFolder(dir, name)}/db.sock`, 'Open_vSwitch', peer),
    })),
  );
  const interfaces = async () =>
    (
      await Promise.all(
        ofNodes.map(async ({ name, ovsdb }) =>
          (await ownInterfaces(ovsdb)).map((row) => `${name} ${String(row['name'])}`),
        ),
      )
    )
      .flat()
      .sort();
  return {
    held: async () => ({ ...heldIn(await rowsOf(north)), interfaces: await interfaces() }),
    everything: async () => ({
      ...Object.fromEntries(
        Object.entries(await rowsOf(north)).map(([table, rows]) => [
          table,
          rows.map((row) => JSON.stringify(withoutReleased(row))).sort(),
        ]),
      ),
      interfaces: await interfaces(),
    }),
    close: () => [north, ...ofNodes.map(({ ovsdb }) => ovsdb)].forEach((one) => one.close()),
  };
}

type Rows = Readonly<Record<keyof typeof tables, readonly Row[]>>;

async function rowsOf(north: Ovsdb): Promise<Rows> {
  const names = Object.keys(tables) as (keyof typeof tables)[];
  const found = await north.transact(
    names.map((table) => ({ op: 'select', table, where: [], columns: tables[table] })),
  );
  return Object.fromEntries(names.map((table, index) => [table, found[index] ?? []])) as Rows;
}

async function ownInterfaces(ovsdb: Ovsdb): Promise<readonly Row[]> {
  const [rows = []] = await ovsdb.transact([
    {
      op: 'select',
      table: 'Interface',
      where: [['external_ids', 'includes', map({ [keys.owner]: owner })]],
      columns: ['name'],
    },
  ]);
  return rows;
}

function heldIn(rows: Rows): Omit<HeldInCluster, 'interfaces'> {
  const ports = rows.Logical_Switch_Port.map(({ name }) => String(name));
  const addresses = rows.Logical_Switch.flatMap((row) =>
    heldAddresses(row).map(([ip, by]) => `${String(row['name'])} ${ip} ${by}`),
  );
  const given = new Set(addresses.map((one) => one.split(' ')[1]));
  const drop = rows.Port_Group.find(({ name }) => name === dropGroup);
  return {
    // Those of routers have no slash.
    ports: ports.filter((name) => name.includes('/')).sort(),
    addresses: addresses.sort(),
    closed: setIn(drop, 'ports').length,
    strangers: rows.Address_Set.flatMap((row) => setIn(row, 'addresses').map(String)).filter(
      (ip) => !given.has(ip),
    ),
  };
}

function heldAddresses(row: Row): readonly (readonly [ip: string, by: string])[] {
  return [...mapIn(row, 'external_ids')].flatMap(([key, by]) =>
    key.startsWith('cni_ip_') && by !== released ? [[key.replace('cni_ip_', ''), by] as const] : [],
  );
}

/** An address that was held stays noted as released. */
function withoutReleased(row: Row): unknown {
  const ids = row['external_ids'];
  if (ids === undefined) return row;
  const kept = [...mapIn(row, 'external_ids')].filter(([, by]) => by !== released).sort();
  return { ...row, external_ids: kept };
}

function mapIn(row: Row, column: string): ReadonlyMap<string, string> {
  const value = row[column];
  return new Map(Array.isArray(value) ? (value[1] as [string, string][]) : []);
}

/** A set of one is written as what is in it (RFC 7047, 5.1). */
function setIn(row: Row | undefined, column: string): readonly Value[] {
  const value = row?.[column];
  if (value === undefined) return [];
  return Array.isArray(value) && value[0] === 'set' ? (value[1] as readonly Value[]) : [value];
}
