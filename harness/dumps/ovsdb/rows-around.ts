/** Every row that says something of a bridge, and what is refused or noted. */
import { complainAboutRow } from './complain-about-row.js';
import { oneOf, rowsOf, type Column, type Database, type Row } from './database.js';

export interface NamedRow {
  readonly table: string;
  readonly uuid: string;
  readonly row: Row;
}

/** References from a table's columns to rows of others; those of a map are its values. */
const references: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Open_vSwitch: { datapaths: 'Datapath' },
  Datapath: { ct_zones: 'CT_Zone' },
  CT_Zone: { timeout_policy: 'CT_Timeout_Policy' },
  Bridge: {
    ports: 'Port',
    mirrors: 'Mirror',
    flow_tables: 'Flow_Table',
    controller: 'Controller',
    netflow: 'NetFlow',
    sflow: 'sFlow',
    ipfix: 'IPFIX',
    auto_attach: 'AutoAttach',
  },
  Port: { interfaces: 'Interface', qos: 'QoS' },
  QoS: { queues: 'Queue' },
  Mirror: { select_src_port: 'Port', select_dst_port: 'Port', output_port: 'Port' },
};

/** Whether a column holds the UUIDs of rows. */
export function isReference(table: string, column: string): boolean {
  return references[table]?.[column] !== undefined;
}

/** The bridge, all that it refers to, and what is of all bridges. */
export function rowsAround(bridge: Row, database: Database): readonly NamedRow[] {
  const seen = new Set<Row>();
  const found: NamedRow[] = [];
  const visit = (table: string, uuid: string, row: Row): void => {
    if (seen.has(row)) return;
    seen.add(row);
    found.push({ table, uuid, row });
    for (const [column, target] of Object.entries(references[table] ?? {}))
      for (const id of referencesIn(row.get(column))) {
        const next = rowsOf(database, target).get(id);
        if (next !== undefined) visit(target, id, next);
      }
  };
  for (const [id, row] of rowsOf(database, 'Bridge')) if (row === bridge) visit('Bridge', id, row);
  for (const [id, row] of rowsOf(database, 'Open_vSwitch')) visit('Open_vSwitch', id, row);
  return found;
}

function referencesIn(column: Column | undefined): readonly string[] {
  if (column === undefined) return [];
  return column instanceof Map ? [...column.values()] : (column as readonly string[]);
}

/** `protected=true of Port p1` */
export function complainAboutRows(rows: readonly NamedRow[]): {
  readonly refused: readonly string[];
  readonly notes: readonly string[];
} {
  const complaints = rows.map(({ table, row }) => {
    const { refused, notes } = complainAboutRow(table, row);
    const of = nameOf(table, row);
    return {
      refused: refused.map((what) => `${what} of ${of}`),
      notes: notes.map((note) => `${of}: ${note}`),
    };
  });
  return {
    refused: complaints.flatMap(({ refused }) => refused),
    notes: [...new Set(complaints.flatMap(({ notes }) => notes))],
  };
}

function nameOf(table: string, row: Row): string {
  const name = oneOf(row, 'name');
  return name === undefined ? `a row of ${table}` : `${table} ${name}`;
}
