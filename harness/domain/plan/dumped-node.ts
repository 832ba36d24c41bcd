/**
 * What dumps say of a node, as they say it: what a real switch is built from, so that it can
 * differ from the model, which has the plan that was read of them.
 */
export interface DumpedNode {
  /**
   * Rows of the database Open_vSwitch, dumped or of what `show` lists; without them, the plan says
   * what ports there are.
   */
  readonly rows?: readonly DumpedRow[];
  /** By the bridge's name. */
  readonly programs: Readonly<Record<string, DumpedProgram>>;
  /** Bonds with their active members, by name. */
  readonly activeMembers?: readonly (readonly [bond: string, member: string])[];
  /** Members that bonds have given hashes to. */
  readonly bondHashes?: readonly (readonly [bond: string, hash: string, member: string])[];
  /** Names of ports whose links are down, LOCAL ports by their bridge's. */
  readonly downPorts: readonly string[];
}

/** A row with the columns that it is given; that of Open_vSwitch is there already. */
export interface DumpedRow {
  readonly table: string;
  readonly uuid: string;
  readonly columns: ReadonlyMap<string, DumpedColumn>;
}

/** A set, of one value for a column that is none, or a map; all values are texts, as printed. */
export type DumpedColumn = readonly string[] | ReadonlyMap<string, string>;

/** Lines in the words of ovs-ofctl. */
export interface DumpedProgram {
  /** Missing where other flows come first. */
  readonly flows?: readonly string[];
  readonly groups: readonly string[];
  readonly meters: readonly string[];
  /** Arguments of `add-tlv-map`. */
  readonly tunnelOptions: readonly string[];
  /** Arguments of `mod-port`: a port's number, and what it becomes. */
  readonly portChanges: readonly (readonly [port: string, action: string])[];
  /** Of `set-frags`. */
  readonly fragments?: 'drop' | 'nx-match';
}

/** The devices that have a wire on a testbed: what is no patch port. */
export function wiredInterfaces(rows: readonly DumpedRow[]): readonly string[] {
  return rows
    .filter((row) => row.table === 'Interface' && textOf(row, 'type') !== 'patch')
    .map((row) => textOf(row, 'name'));
}

/** The first value of a column; empty where there is none. */
export function textOf({ columns }: DumpedRow, column: string): string {
  const value = columns.get(column);
  return value === undefined || value instanceof Map ? '' : ((value as readonly string[])[0] ?? '');
}
