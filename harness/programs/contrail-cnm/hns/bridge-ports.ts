/** Ports of a bridge of Open vSwitch, by the switch's database. */
import { InputError, Unavailable } from '../../../base/errors/errors.js';
import { named, set } from '../../../ovs/ovsdb/ovsdb-value.js';
import { connectOvsdb, type Operation, type Ovsdb } from '../../../ovs/ovsdb/ovsdb.js';

export interface BridgePorts {
  /** @returns the number that the switch has given it. @throws InputError where it is there. */
  add(port: string): Promise<number>;
  /** Nothing where it is not there. */
  remove(port: string): Promise<void>;
}

const limitMs = 20_000;

/** @param database the socket of ovsdb-server. */
export function bridgePortsOf(database: string, bridge: string): BridgePorts {
  return {
    add: (port) => connected(database, (ovsdb) => addPort(ovsdb, bridge, port)),
    remove: (port) => connected(database, (ovsdb) => removePort(ovsdb, bridge, port)),
  };
}

/** A connection for each piece of work outlasts no server. */
async function connected<T>(database: string, work: (ovsdb: Ovsdb) => Promise<T>): Promise<T> {
  const name = `Open vSwitch at ${database}`;
  const whyEnded = () => Promise.resolve(new Unavailable(`${name} has hung up`));
  const ovsdb = await connectOvsdb(database, 'Open_vSwitch', { name, whyEnded }).catch(
    (error: Error) => {
      throw new Unavailable(`${name} cannot be reached: ${error.message}`);
    },
  );
  try {
    return await work(ovsdb);
  } finally {
    ovsdb.close();
  }
}

async function addPort(ovsdb: Ovsdb, bridge: string, port: string): Promise<number> {
  const results = await ovsdb.attempt([
    isThere('Bridge', bridge, [{ name: bridge }]),
    isThere('Port', port, []),
    { op: 'insert', table: 'Interface', 'uuid-name': 'interface', row: { name: port } },
    {
      op: 'insert',
      table: 'Port',
      'uuid-name': 'port',
      row: { name: port, interfaces: named('interface') },
    },
    {
      op: 'mutate',
      table: 'Bridge',
      where: [['name', '==', bridge]],
      mutations: [['ports', 'insert', set([named('port')])]],
    },
    ...nextConfiguration,
  ]);
  if (results === 'unmet')
    throw new InputError(`Open vSwitch has no bridge ${bridge}, or has a port ${port} already`);
  await taken(ovsdb, results, `port ${port} of ${bridge}`);
  const [rows = []] = await ovsdb.transact([
    {
      op: 'select',
      table: 'Interface',
      where: [['name', '==', port]],
      columns: ['ofport', 'error'],
    },
  ]);
  const ofport = rows[0]?.['ofport'];
  if (typeof ofport === 'number' && ofport > 0) return ofport;
  const why = JSON.stringify(rows[0]?.['error'] ?? 'no such interface');
  throw new Unavailable(`ovs-vswitchd refuses port ${port} of ${bridge}: ${why}`);
}

async function removePort(ovsdb: Ovsdb, bridge: string, port: string): Promise<void> {
  const [found = []] = await ovsdb.transact([
    { op: 'select', table: 'Port', where: [['name', '==', port]], columns: ['_uuid'] },
  ]);
  const uuid = found[0]?.['_uuid'];
  if (uuid === undefined) return;
  const results = await ovsdb.transact([
    {
      op: 'mutate',
      table: 'Bridge',
      where: [['name', '==', bridge]],
      mutations: [['ports', 'delete', set([uuid])]],
    },
    ...nextConfiguration,
  ]);
  await taken(ovsdb, results, `${bridge} without port ${port}`);
}

const nextConfiguration: readonly Operation[] = [
  { op: 'mutate', table: 'Open_vSwitch', where: [], mutations: [['next_cfg', '+=', 1]] },
  { op: 'select', table: 'Open_vSwitch', where: [], columns: ['next_cfg'] },
];

/** As ovs-vsctl waits for ovs-vswitchd: until it has taken that configuration, or a later one. */
async function taken(
  ovsdb: Ovsdb,
  results: Awaited<ReturnType<Ovsdb['transact']>>,
  what: string,
): Promise<void> {
  const wanted = Number(results.at(-1)?.[0]?.['next_cfg']);
  await ovsdb.waitFor(
    `ovs-vswitchd to take ${what}`,
    {
      table: 'Open_vSwitch',
      where: [['cur_cfg', '>=', wanted]],
      columns: ['next_cfg'],
      until: '!=',
      rows: [],
    },
    limitMs,
  );
}

function isThere(
  table: 'Bridge' | 'Port',
  name: string,
  rows: Extract<Operation, { readonly op: 'wait' }>['rows'],
): Operation {
  const where = [['name', '==', name]] as const;
  return { op: 'wait', table, where, columns: ['name'], until: '==', rows, timeout: 0 };
}
