/**
 * The logical port of a container: there with its address and under the drop ACL in one
 * transaction, gone with both in one.
 */
import {
  addressKey,
  dropGroup,
  dropOutGroup,
  keys,
  logicalPortOf,
  macOfAddress,
  owner,
  released,
  type Attachment,
} from '../../control/ovn-cni/names.js';
import { map, named, set } from '../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Value } from '../../ovs/ovsdb/ovsdb.js';
import { CniError, codes } from './cni-error.js';
import { uuid, type Database } from './databases.js';
import type { PodIdentity } from './environment.js';
import { chooseAddress, readNodeNetwork, type NodeNetwork, type PortRow } from './node-network.js';

/** How long chassis and ovn-northd are waited for: longer, and the runtime would give up first. */
export const confirmationLimitMs = 20_000;

export interface PortRequest {
  readonly attachment: Attachment;
  readonly network: string;
  readonly pod: PodIdentity;
}

export interface MadePort {
  readonly port: Pick<PortRow, 'ip' | 'mac'>;
  /** ovn-northd has to be that far before the port may receive (ovn-nb(5), NB_Global, "nb_cfg"). */
  readonly mark: number;
}

/**
 * Makes the port at an address that nobody holds. Where others take the address first, the next is
 * tried: each time one of them has got on.
 * @throws CniError when no address is left.
 */
export async function makePort(
  database: Database,
  node: string,
  request: PortRequest,
): Promise<MadePort> {
  for (;;) {
    const network = await readNodeNetwork(database, node);
    const choice = chooseAddress(network);
    if (choice.kind === 'none')
      throw new CniError(
        codes.tryAgainLater,
        `all addresses of ${network.subnet} are held: ${network.held.size} on node ${node}`,
      );
    if (choice.kind === 'released') {
      await forgetReleased(database, network, choice.addresses);
      continue;
    }
    const results = await database.ovsdb.attempt(makeOperations(network, choice.ip, request));
    if (results === 'unmet') continue;
    const mark = results.at(-1)?.[0]?.['nb_cfg'];
    if (typeof mark !== 'number') throw new CniError(codes.failed, 'NB_Global has no nb_cfg');
    return { port: { ip: choice.ip, mac: macOfAddress(choice.ip) }, mark };
  }
}

/**
 * A mutation inserts no key that a map has (RFC 7047, 5.1): whoever finds his own value there has
 * the address, and all others find that and do nothing.
 */
function makeOperations(
  network: NodeNetwork,
  ip: string,
  { attachment, network: name, pod }: PortRequest,
): readonly Operation[] {
  const port = logicalPortOf(attachment);
  const where = [['_uuid', '==', uuid(network.uuid)]] as const;
  const address = `${macOfAddress(ip)} ${ip}`;
  return [
    mutate('Logical_Switch', where, 'external_ids', 'insert', map({ [addressKey(ip)]: port })),
    {
      op: 'wait',
      table: 'Logical_Switch',
      where: [...where, ['external_ids', 'includes', map({ [addressKey(ip)]: port })]],
      columns: ['name'],
      until: '==',
      rows: [{ name: network.node }],
      timeout: 0,
    },
    {
      op: 'insert',
      table: 'Logical_Switch_Port',
      'uuid-name': 'port',
      row: {
        name: port,
        addresses: set([address]),
        port_security: set([address]),
        external_ids: map({
          [keys.owner]: owner,
          [keys.container]: attachment.containerId,
          [keys.ifname]: attachment.ifname,
          [keys.network]: name,
          ...(pod.name === undefined ? {} : { [keys.pod]: pod.name }),
          ...(pod.namespace === undefined ? {} : { [keys.namespace]: pod.namespace }),
          ...(pod.uid === undefined ? {} : { [keys.uid]: pod.uid }),
        }),
      },
    },
    mutate('Logical_Switch', where, 'ports', 'insert', set([named('port')])),
    mutate('Port_Group', [['name', '==', dropGroup]], 'ports', 'insert', set([named('port')])),
    // Where Egress is enforced there is this group: elsewhere this does nothing.
    mutate('Port_Group', [['name', '==', dropOutGroup]], 'ports', 'insert', set([named('port')])),
    {
      op: 'wait',
      table: 'Port_Group',
      where: [['name', '==', dropGroup]],
      columns: ['name'],
      until: '==',
      rows: [{ name: dropGroup }],
      timeout: 0,
    },
    ...nextMark,
  ];
}

type Where = Extract<Operation, { readonly op: 'mutate' }>['where'];

function mutate(
  table: string,
  where: Where,
  column: string,
  mutator: 'insert' | 'delete',
  value: Value,
): Operation {
  return { op: 'mutate', table, where, mutations: [[column, mutator, value]] };
}

/** Asks ovn-northd and all chassis to say when they are that far. */
export const nextMark: readonly Operation[] = [
  { op: 'mutate', table: 'NB_Global', where: [], mutations: [['nb_cfg', '+=', 1]] },
  { op: 'select', table: 'NB_Global', where: [], columns: ['nb_cfg'] },
];

/** Waits until ovn-northd, or all chassis, are as far as `mark`. */
export async function confirmed(
  database: Database,
  by: 'ovn-northd' | 'all chassis',
  mark: number,
): Promise<void> {
  const column = by === 'ovn-northd' ? 'sb_cfg' : 'hv_cfg';
  const replica = await database.watch({ NB_Global: [column] });
  try {
    await replica.until(`${by} to follow the northbound database`, confirmationLimitMs, (held) => {
      const [row] = held.rows('NB_Global').values();
      const reached = row?.[column];
      return typeof reached === 'number' && reached >= mark
        ? []
        : [`${column} is ${String(reached)}, not ${mark}`];
    });
  } catch (error) {
    throw new CniError(codes.tryAgainLater, error instanceof Error ? error.message : String(error));
  } finally {
    replica.close();
  }
}

/** Lets addresses be held again that were, once no chassis remembers who held them. */
async function forgetReleased(
  database: Database,
  network: NodeNetwork,
  addresses: readonly string[],
): Promise<void> {
  const results = await database.ovsdb.transact(nextMark);
  const mark = results.at(-1)?.[0]?.['nb_cfg'];
  await confirmed(database, 'all chassis', Number(mark));
  await database.ovsdb.transact([
    mutate(
      'Logical_Switch',
      [['_uuid', '==', uuid(network.uuid)]],
      'external_ids',
      'delete',
      map(Object.fromEntries(addresses.map((ip) => [addressKey(ip), released]))),
    ),
  ]);
}

/**
 * Takes a port away, and its address out of every address set. The address is not free yet: it is
 * when all chassis have forgotten it.
 */
export async function removePort(
  { ovsdb }: Pick<Database, 'ovsdb'>,
  node: string,
  port: PortRow,
  name: string,
): Promise<void> {
  const where = [['name', '==', node]] as const;
  await ovsdb.transact([
    mutate('Logical_Switch', [], 'ports', 'delete', set([uuid(port.uuid)])),
    mutate('Address_Set', ownRows, 'addresses', 'delete', set([port.ip])),
    mutate('Logical_Switch', where, 'external_ids', 'delete', map({ [addressKey(port.ip)]: name })),
    mutate(
      'Logical_Switch',
      where,
      'external_ids',
      'insert',
      map({ [addressKey(port.ip)]: released }),
    ),
    ...nextMark,
  ]);
}

const ownRows: Where = [['external_ids', 'includes', map({ [keys.owner]: owner })]];
