/** Ports of a bridge of Open vSwitch, by the switch's database. */
import { InputError, Unavailable } from '../../../base/errors/errors.js';
import { named, set } from '../../../ovs/ovsdb/ovsdb-value.js';
import { connectOvsdb, type Operation, type Ovsdb } from '../../../ovs/ovsdb/ovsdb.js';

export interface BridgePorts {
  /**
   * @returns its number, `firstContainerPort` or above. @throws InputError where it is there, and
   *   Unavailable where the bridge has no physical adapter: its flows would be the container's.
   */
  add(port: string): Promise<number>;
  /** The number of the physical adapter. @throws Unavailable where the bridge has none. */
  adapter(): Promise<number>;
  /** Nothing where it is not there. */
  remove(port: string): Promise<void>;
}

const limitMs = 20_000;

/** Below are the physical adapter, the tunnel, and what may come beside them. */
export const firstContainerPort = 10;

/**
 * @param database the socket of ovsdb-server.
 * @param adapter the name of the physical adapter.
 */
export function bridgePortsOf(database: string, bridge: string, adapter: string): BridgePorts {
  return {
    add: (port) =>
      connected(database, async (ovsdb) => {
        await numberOfAdapter(ovsdb, bridge, adapter);
        return await addPort(ovsdb, bridge, port);
      }),
    adapter: () => connected(database, (ovsdb) => numberOfAdapter(ovsdb, bridge, adapter)),
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

async function numberOfAdapter(ovsdb: Ovsdb, bridge: string, adapter: string): Promise<number> {
  const [bridges = [], ports = [], interfaces = []] = await ovsdb.transact([
    { op: 'select', table: 'Bridge', where: [['name', '==', bridge]], columns: ['ports'] },
    { op: 'select', table: 'Port', where: [['name', '==', adapter]], columns: ['_uuid'] },
    {
      op: 'select',
      table: 'Interface',
      where: [['name', '==', adapter]],
      columns: ['ofport', 'error'],
    },
  ]);
  const uuid = JSON.stringify(ports[0]?.['_uuid'] ?? 'none');
  const isThere = JSON.stringify(bridges[0]?.['ports'] ?? '').includes(uuid);
  const number = interfaces[0]?.['ofport'];
  if (isThere && typeof number === 'number' && number > 0) return number;
  const error = interfaces[0]?.['error'];
  const why = typeof error === 'string' ? `: ${error}` : '';
  throw new Unavailable(
    `bridge ${bridge} has no physical adapter "${adapter}"${why}: without it nothing that a ` +
      'container is given comes in or out, and its number would be free for a container',
  );
}

/** Where others take the number first, the next is asked for: each time one of them has got on. */
async function addPort(ovsdb: Ovsdb, bridge: string, port: string): Promise<number> {
  for (;;) {
    const wanted = await freeNumber(ovsdb, bridge, port);
    const results = await ovsdb.attempt(addOperations(bridge, port, wanted));
    if (results === 'unmet') continue;
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
    if (ofport === wanted) return wanted;
    const why = JSON.stringify(rows[0]?.['error'] ?? 'no such interface');
    await removePort(ovsdb, bridge, port);
    throw new Unavailable(
      typeof ofport === 'number' && ofport > 0
        ? `ovs-vswitchd gives port ${port} of ${bridge} the number ${ofport}, not ${wanted}`
        : `ovs-vswitchd refuses port ${port} of ${bridge}: ${why}`,
    );
  }
}

/** @throws InputError where there is no such bridge, or the port is there. */
async function freeNumber(ovsdb: Ovsdb, bridge: string, port: string): Promise<number> {
  const [bridges = [], ports = [], interfaces = []] = await ovsdb.transact([
    { op: 'select', table: 'Bridge', where: [['name', '==', bridge]], columns: ['name'] },
    { op: 'select', table: 'Port', where: [['name', '==', port]], columns: ['name'] },
    { op: 'select', table: 'Interface', where: [], columns: ['ofport', 'ofport_request'] },
  ]);
  if (bridges.length === 0 || ports.length > 0)
    throw new InputError(`Open vSwitch has no bridge ${bridge}, or has a port ${port} already`);
  const used = new Set(interfaces.flatMap((row) => [row['ofport'], row['ofport_request']]));
  let number = firstContainerPort;
  while (used.has(number)) number += 1;
  return number;
}

function addOperations(bridge: string, port: string, number: number): readonly Operation[] {
  return [
    isThere('Bridge', bridge, [{ name: bridge }]),
    isThere('Port', port, []),
    {
      op: 'wait',
      table: 'Interface',
      where: [['ofport_request', '==', number]],
      columns: ['name'],
      until: '==',
      rows: [],
      timeout: 0,
    },
    {
      op: 'insert',
      table: 'Interface',
      'uuid-name': 'interface',
      row: { name: port, ofport_request: number },
    },
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
  ];
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
