/** A node's part of the network, as the northbound database has it. */
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import {
  addressesIn,
  addressKey,
  dropGroup,
  gatewayOf,
  keys,
  released,
  type Attachment,
  logicalPortOf,
} from '../../control/ovn-cni/names.js';
import type { Row } from '../../ovs/ovsdb/ovsdb.js';
import { CniError, codes } from './cni-error.js';
import { mapIn, setIn, uuidIn, type Database } from './databases.js';

export interface NodeNetwork {
  readonly node: string;
  /** UUID of the logical switch. */
  readonly uuid: string;
  readonly subnet: string;
  readonly gateway: string;
  readonly prefixLength: number;
  /** Who holds an address, or that it was held, by address. */
  readonly held: ReadonlyMap<string, string>;
  readonly port: PortRow | undefined;
}

/** The logical port of an attachment. */
export interface PortRow {
  readonly uuid: string;
  readonly ip: string;
  readonly mac: string;
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * What `init` has made, and the port of `attachment` where it is there.
 * @throws CniError where `init` has not been, or was for another subnet than `subnet`.
 */
export async function readNodeNetwork(
  { ovsdb }: Pick<Database, 'ovsdb'>,
  node: string,
  attachment?: Attachment,
  subnet?: string,
): Promise<NodeNetwork> {
  const [switches = [], groups = [], ports = []] = await ovsdb.transact([
    {
      op: 'select',
      table: 'Logical_Switch',
      where: [['name', '==', node]],
      columns: ['_uuid', 'external_ids'],
    },
    {
      op: 'select',
      table: 'Port_Group',
      where: [['name', '==', dropGroup]],
      columns: ['name'],
    },
    {
      op: 'select',
      table: 'Logical_Switch_Port',
      where: [['name', '==', attachment === undefined ? '' : logicalPortOf(attachment)]],
      columns: ['_uuid', 'addresses', 'external_ids'],
    },
  ]);
  const [row] = switches;
  const ids = mapIn(row, 'external_ids');
  const found = ids.get(keys.subnet);
  if (row === undefined || found === undefined || groups.length === 0)
    throw new CniError(
      codes.tryAgainLater,
      `node ${node} is not initialized: the northbound database has no switch of this name with ` +
        'a subnet',
      `run on the node: ovn_cni init --subnet SUBNET`,
    );
  if (subnet !== undefined && subnet !== found)
    throw new CniError(
      codes.invalidConfig,
      `"subnet" is ${subnet}, and node ${node} was initialized with ${found}`,
    );
  return {
    node,
    uuid: uuidIn(row),
    subnet: found,
    gateway: gatewayOf(found),
    prefixLength: parseCidr(found).prefixLength,
    held: heldIn(ids),
    port: portOf(ports[0]),
  };
}

export function heldIn(ids: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const prefix = addressKey('');
  return new Map(
    [...ids].flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );
}

/** `0a:58:0a:0a:01:02 10.10.1.2` (ovn-nb(5), Logical_Switch_Port, "addresses"). */
export function portOf(row: Row | undefined): PortRow | undefined {
  if (row === undefined) return undefined;
  const [mac = '', ip = ''] = String(setIn(row, 'addresses')[0] ?? '').split(' ');
  return { uuid: uuidIn(row), ip, mac, ids: mapIn(row, 'external_ids') };
}

export type Choice =
  | { readonly kind: 'free'; readonly ip: string }
  /** Nobody holds it, and a chassis may still remember who did. */
  | { readonly kind: 'released'; readonly addresses: readonly string[] }
  | { readonly kind: 'none' };

/**
 * The lowest address that nobody has ever held, as far as is remembered; else all that somebody
 * has.
 */
export function chooseAddress({ subnet, held }: NodeNetwork): Choice {
  for (const ip of addressesIn(subnet)) if (!held.has(ip)) return { kind: 'free', ip };
  const addresses = [...held].filter(([, by]) => by === released).map(([ip]) => ip);
  return addresses.length === 0 ? { kind: 'none' } : { kind: 'released', addresses };
}
