/**
 * What flows of a bridge that OVN programs come from, out of dumps of its databases: a cookie is
 * the beginning of the UUID of a southbound row (OVN controller/lflow.c, physical.c), and the stage
 * hint of a logical flow that of a northbound one (ovn-sb(5), Logical_Flow, "external_ids").
 */
import { InputError } from '../base/errors/errors.js';
import { mapOf, oneOf, rowsOf, setOf, type Database, type Row } from './ovsdb/database.js';

/** By cookie, as a bridge's plan has them: `n1 ingress 4 ls_in_arp_rsp priority=50 match`. */
export type OvnSources = Readonly<Record<string, string>>;

/** @throws InputError for a database that is none of OVN's. */
export function ovnSources(south: Database, north?: Database): OvnSources {
  demand(south, 'Logical_Flow', 'southbound');
  if (north !== undefined) demand(north, 'Logical_Switch', 'northbound');
  const datapaths = rowsOf(south, 'Datapath_Binding');
  const groups = rowsOf(south, 'Logical_DP_Group');
  const nameOf = (uuid: string | undefined) =>
    mapOf(datapaths.get(uuid ?? '') ?? none, 'external_ids').get('name') ?? '?';
  const placeOf = (row: Row) => {
    const datapath = oneOf(row, 'logical_datapath');
    const group = groups.get(oneOf(row, 'logical_dp_group') ?? '') ?? none;
    return datapath === undefined
      ? setOf(group, 'datapaths').map(nameOf).toSorted().join('+')
      : nameOf(datapath);
  };
  const rows = north === undefined ? undefined : northboundRows(north);
  const found = new Map<string, string>();
  for (const [uuid, row] of rowsOf(south, 'Logical_Flow')) {
    const ids = mapOf(row, 'external_ids');
    const behind = rows?.get(ids.get('stage-hint') ?? '');
    found.set(
      cookieOf(uuid),
      `${placeOf(row)} ${one(row, 'pipeline')} ${number(row, 'table_id')} ` +
        `${ids.get('stage-name') ?? '?'} priority=${number(row, 'priority')} ` +
        `${one(row, 'match')}` +
        (behind === undefined ? '' : `, for ${behind}`),
    );
  }
  for (const [uuid, row] of rowsOf(south, 'Port_Binding'))
    found.set(cookieOf(uuid), `port ${one(row, 'logical_port')}`);
  for (const [uuid, row] of rowsOf(south, 'Multicast_Group'))
    found.set(cookieOf(uuid), `group ${one(row, 'name')} of ${nameOf(oneOf(row, 'datapath'))}`);
  for (const [uuid, row] of rowsOf(south, 'Chassis'))
    found.set(cookieOf(uuid), `chassis ${one(row, 'name')}`);
  return Object.fromEntries(found);
}

const none: Row = new Map();
const one = (row: Row, column: string) => oneOf(row, column) ?? '?';
/** The file of a database leaves zeros out (ovsdb(5), "File Format"). */
const number = (row: Row, column: string) => oneOf(row, column) ?? '0';

function cookieOf(uuid: string): string {
  return `0x${uuid.slice(0, 8).replace(/^0+(?=.)/, '')}`;
}

function demand(database: Database, table: string, which: string): void {
  if (!database.tables.has(table))
    throw new InputError(
      `${database.file}: there is no table ${table} in it: a dump of OVN's ${which} database has ` +
        'one (ovsdb-client dump, or backup)',
    );
}

/** By the first digits of their UUIDs: `ACL "drop all"`, `Logical_Switch_Port p1`. */
function northboundRows({ tables }: Database): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [table, rows] of tables)
    for (const [uuid, row] of rows) {
      const name = oneOf(row, 'name') ?? oneOf(row, 'match') ?? oneOf(row, 'ip_prefix');
      found.set(uuid.slice(0, 8), `${table} ${name === undefined || name === '' ? uuid : name}`);
    }
  return found;
}
