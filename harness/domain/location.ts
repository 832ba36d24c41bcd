/** Where a promise stopped being true, or two sides diverge: a flow, a miss, or a host. */
import { formatFlowId, type FlowId } from './switching.js';

export type Location =
  | FlowLocation
  | { readonly miss: TableMiss; readonly because: string }
  /** A host's stack dropped it, or nobody there answers. */
  | { readonly host: string; readonly because: string };

/** A flow, and the field that it got wrong, where that is known. */
export interface FlowLocation {
  readonly flow: FlowId;
  readonly field?: string;
  readonly because: string;
}

/** A table in which no flow matches. */
export interface TableMiss {
  readonly node: string;
  readonly bridge: string;
  readonly table: number;
  /** The flows of this table that came closest, best first. */
  readonly nearest: readonly NearestFlow[];
}

export interface NearestFlow {
  readonly flow: FlowId;
  /** What the packet would have had to be: `nw_dst=10.10.1.2, the packet has 10.10.1.3`. */
  readonly needs: string;
}

/** The switch, bridge and table of a location; undefined for a host. */
export function tableOf(at: Location): Omit<TableMiss, 'nearest'> | undefined {
  if ('host' in at) return undefined;
  const { node, bridge, table } = 'flow' in at ? at.flow : at.miss;
  return { node, bridge, table };
}

/** `br-int on n1`, or `host p2`. */
export function switchText(at: Location): string {
  const table = tableOf(at);
  return table === undefined
    ? `host ${'host' in at ? at.host : ''}`
    : `${table.bridge} on ${table.node}`;
}

/** `n1 br-int table 2`, or `host p2`. */
export function placeInTable(at: Location): string {
  const table = tableOf(at);
  return table === undefined
    ? switchText(at)
    : `${table.node} ${table.bridge} table ${table.table}`;
}

/** `br-int on n1, table 2, field nw_dst`. */
export function placeText(at: Location): string {
  const table = tableOf(at);
  return [
    switchText(at),
    ...(table === undefined ? [] : [`table ${table.table}`]),
    ...fieldOf(at).map((field) => `field ${field}`),
  ].join(', ');
}

/** The name of the field that differs, as a list of one; empty where none is known. */
export function fieldOf(at: Location): readonly string[] {
  return 'flow' in at && at.field !== undefined ? [at.field] : [];
}

/** The flow as ovs-ofctl prints it, or that none matches; empty for a host. */
export function flowText(at: Location): string {
  if ('host' in at) return '';
  return 'flow' in at ? formatFlowId(at.flow) : 'no flow matches';
}

/** The reason first, then the flows that came closest. */
export function reasonLines(at: Location): readonly string[] {
  if (!('miss' in at)) return [at.because];
  return [
    at.because,
    ...at.miss.nearest.map(({ flow, needs }) => `nearest: ${formatFlowId(flow)}: needs ${needs}`),
  ];
}

/** Text that is the same for findings with one cause. */
export function locationKey(at: Location): string {
  const table = tableOf(at);
  return [
    ...(table === undefined ? [switchText(at)] : [table.node, table.bridge]),
    'miss' in at ? `table=${at.miss.table} ${flowText(at)}` : flowText(at),
    fieldOf(at)[0] ?? '',
  ].join(' ');
}
