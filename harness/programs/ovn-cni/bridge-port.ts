/** The container's port on the node's bridge, bound to its logical port by `iface-id`. */
import { keys, owner, type Attachment, logicalPortOf } from '../../control/ovn-cni/names.js';
import { map, named, set } from '../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Row } from '../../ovs/ovsdb/ovsdb.js';
import { CniError, codes } from './cni-error.js';
import { mapIn, setIn, uuidIn, type Database } from './databases.js';
import type { Plug } from './network-config.js';

export interface BridgePort {
  readonly name: string;
  readonly iface: string | undefined;
  readonly network: string | undefined;
  readonly ofport: number | undefined;
  readonly error: string | undefined;
}

const columns = ['name', 'external_ids', 'ofport', 'error'];

/** The interfaces of this name, or all that the plugin has made. */
export async function bridgePorts(
  { ovsdb }: Pick<Database, 'ovsdb'>,
  name?: string,
): Promise<readonly BridgePort[]> {
  const [rows = []] = await ovsdb.transact([
    {
      op: 'select',
      table: 'Interface',
      where:
        name === undefined
          ? [['external_ids', 'includes', map({ [keys.owner]: owner })]]
          : [['name', '==', name]],
      columns,
    },
  ]);
  return rows.map(bridgePortOf);
}

function bridgePortOf(row: Row): BridgePort {
  const ids = mapIn(row, 'external_ids');
  return {
    name: String(row['name']),
    iface: ids.get('iface-id'),
    network: ids.get(keys.network),
    ofport: typeof row['ofport'] === 'number' ? row['ofport'] : undefined,
    error: typeof row['error'] === 'string' ? row['error'] : undefined,
  };
}

/** The name of the bridge that has the port. */
export async function bridgeOf({ ovsdb }: Database, port: string): Promise<string | undefined> {
  const [ports = [], bridges = []] = await ovsdb.transact([
    { op: 'select', table: 'Port', where: [['name', '==', port]], columns: ['_uuid'] },
    { op: 'select', table: 'Bridge', where: [], columns: ['name', 'ports'] },
  ]);
  const own = new Set(ports.map((row) => JSON.stringify(['uuid', uuidIn(row)])));
  const found = bridges.find((row) =>
    setIn(row, 'ports').some((value) => own.has(JSON.stringify(value))),
  );
  return found === undefined ? undefined : String(found['name']);
}

/** Where the bridge forwards: `system` in the kernel, `netdev` in ovs-vswitchd. */
export async function datapathOf({ ovsdb }: Database, bridge: string): Promise<string> {
  const [rows = []] = await ovsdb.transact([
    { op: 'select', table: 'Bridge', where: [['name', '==', bridge]], columns: ['datapath_type'] },
  ]);
  const type = rows[0]?.['datapath_type'];
  return typeof type === 'string' && type !== '' ? type : 'system';
}

export interface PlugRequest {
  readonly bridge: string;
  readonly name: string;
  readonly attachment: Attachment;
  readonly network: string;
  readonly mac: string;
  readonly mtu: number | undefined;
  readonly plug: Plug;
}

const limitMs = 20_000;

/**
 * Plugs the interface into the bridge and waits until ovs-vswitchd has taken it.
 * @throws CniError where there is no such bridge, or ovs-vswitchd refuses the interface.
 */
export async function plug(database: Database, request: PlugRequest): Promise<void> {
  const results = await database.ovsdb.attempt(plugOperations(request));
  if (results === 'unmet')
    throw new CniError(
      codes.tryAgainLater,
      `Open vSwitch has no bridge "${request.bridge}"`,
      'ovn-controller makes br-int as soon as it runs (ovn-controller(8), "ovn-bridge")',
    );
  const wanted = Number(results.at(-1)?.[0]?.['next_cfg']);
  const replica = await database.watch({ Open_vSwitch: ['cur_cfg'], Interface: columns });
  let error: string | undefined;
  await replica
    .until('ovs-vswitchd to take the port', limitMs, (held) => {
      const [switchRow] = held.rows('Open_vSwitch').values();
      const row = [...held.rows('Interface').values()].find((one) => one['name'] === request.name);
      const port = row === undefined ? undefined : bridgePortOf(row);
      error = port?.error;
      if (error !== undefined || (port?.ofport ?? -1) > 0) return [];
      return [`cur_cfg is ${String(switchRow?.['cur_cfg'])}, not ${wanted}`];
    })
    .catch((cause: unknown) => {
      throw new CniError(
        codes.tryAgainLater,
        cause instanceof Error ? cause.message : String(cause),
      );
    })
    .finally(() => replica.close());
  if (error !== undefined)
    throw new CniError(codes.failed, `ovs-vswitchd refuses port ${request.name}: ${error}`);
}

function plugOperations(request: PlugRequest): readonly Operation[] {
  const { bridge, name, attachment, network, mac, mtu, plug: kind } = request;
  return [
    {
      op: 'wait',
      table: 'Bridge',
      where: [['name', '==', bridge]],
      columns: ['name'],
      until: '==',
      rows: [{ name: bridge }],
      timeout: 0,
    },
    {
      op: 'insert',
      table: 'Interface',
      'uuid-name': 'interface',
      row: {
        name,
        ...interfaceColumns(kind, mac),
        ...(mtu === undefined || kind.kind === 'veth' ? {} : { mtu_request: mtu }),
        external_ids: map({
          'iface-id': logicalPortOf(attachment),
          'attached-mac': mac,
          [keys.owner]: owner,
          [keys.network]: network,
          [keys.container]: attachment.containerId,
          [keys.ifname]: attachment.ifname,
        }),
      },
    },
    {
      op: 'insert',
      table: 'Port',
      'uuid-name': 'port',
      row: { name, interfaces: named('interface') },
    },
    {
      op: 'mutate',
      table: 'Bridge',
      where: [['name', '==', bridge]],
      mutations: [['ports', 'insert', set([named('port')])]],
    },
    { op: 'mutate', table: 'Open_vSwitch', where: [], mutations: [['next_cfg', '+=', 1]] },
    { op: 'select', table: 'Open_vSwitch', where: [], columns: ['next_cfg'] },
  ];
}

function interfaceColumns(plug: Plug, mac: string): Row {
  switch (plug.kind) {
    case 'veth':
      return {};
    case 'internal':
      return { type: 'internal', mac };
    case 'given':
      return {
        type: plug.type,
        options: map(plug.options),
        ...(plug.ofport === undefined ? {} : { ofport_request: plug.ofport }),
      };
  }
}

/** Takes the port from the bridge, where it is there. */
export async function unplug({ ovsdb }: Pick<Database, 'ovsdb'>, name: string): Promise<void> {
  const [ports = []] = await ovsdb.transact([
    { op: 'select', table: 'Port', where: [['name', '==', name]], columns: ['_uuid'] },
  ]);
  const [port] = ports;
  if (port === undefined) return;
  await ovsdb.transact([
    {
      op: 'mutate',
      table: 'Bridge',
      where: [],
      mutations: [['ports', 'delete', set([['uuid', uuidIn(port)]])]],
    },
    { op: 'mutate', table: 'Open_vSwitch', where: [], mutations: [['next_cfg', '+=', 1]] },
  ]);
}
