/** The two databases that the plugin speaks to: OVN's northbound one, and the node's own. */
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { connectOvsdb, type Ovsdb, type Row, type Value } from '../../ovs/ovsdb/ovsdb.js';
import { connectReplica, type Replica } from '../../ovs/ovsdb/replica.js';
import { CniError, codes } from './cni-error.js';
import { parseRemote } from './remote.js';

export interface Database {
  readonly ovsdb: Ovsdb;
  /** Columns of tables as they stand, kept up to date until `close`. */
  watch(tables: Readonly<Record<string, readonly string[]>>): Promise<Replica>;
  close(): void;
}

const described = { OVN_Northbound: 'the northbound database', Open_vSwitch: 'Open vSwitch' };

/** @throws CniError where nobody answers: the runtime may try again later. */
export async function openDatabase(
  name: keyof typeof described,
  remote: string,
): Promise<Database> {
  const address = parseRemote(remote);
  const peer = {
    name: `${described[name]} at ${remote}`,
    whyEnded: async () => new Unavailable(`${described[name]} at ${remote} has hung up`),
  };
  const replicas: Replica[] = [];
  try {
    const ovsdb = await connectOvsdb(address, name, peer);
    return {
      ovsdb,
      watch: async (tables) => {
        const replica = await connectReplica(address, name, peer, tables);
        replicas.push(replica);
        return replica;
      },
      close: () => {
        ovsdb.close();
        for (const replica of replicas) replica.close();
      },
    };
  } catch (error) {
    if (error instanceof InputError || error instanceof CniError) throw error;
    throw new CniError(
      codes.tryAgainLater,
      `${described[name]} cannot be reached at ${remote}`,
      error instanceof Error ? error.message : '',
    );
  }
}

/** A column that is a map. */
export function mapIn(row: Row | undefined, column: string): ReadonlyMap<string, string> {
  const value = row?.[column];
  return new Map(
    Array.isArray(value) && value[0] === 'map'
      ? (value[1] as readonly (readonly [string, string])[])
      : [],
  );
}

/** A column that is a set: of one it is written as what is in it (RFC 7047, 5.1). */
export function setIn(row: Row | undefined, column: string): readonly Value[] {
  const value = row?.[column];
  if (value === undefined) return [];
  return Array.isArray(value) && value[0] === 'set' ? (value[1] as readonly Value[]) : [value];
}

export function uuidIn(row: Row | undefined): string {
  const value = row?.['_uuid'];
  if (Array.isArray(value) && value[0] === 'uuid') return String(value[1]);
  throw new CniError(codes.failed, `the database prints a row without its UUID`);
}

export const uuid = (text: string): Value => ['uuid', text];
