/** A switch out of what ovs-ofctl prints of its bridges, and what their database says of them. */
import { InputError, unknownName } from '../base/errors/errors.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { DumpedNode } from '../domain/plan/dumped-node.js';
import type { Names } from '../openflow/syntax/form.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';
import { rowsToBuild, type RowsToBuild } from './ovsdb/rows-to-build.js';
import { shownRows } from './shown-rows.js';
import { bondHashes } from './shown-bonds.js';
import type { RecordedTunnel } from './recorded-tunnel.js';
import type { TextSource } from './text-source.js';
import { undoMarkup } from './pasted/undo-markup.js';
import { readBridge, refuseUnknown, type BridgeSources } from './dumped-bridge.js';
import type { FloodNote } from './listed-ports.js';

export interface DumpedSwitch {
  readonly plan: NodePlan;
  /** What names stand for on each bridge, by the bridge's name. */
  readonly names: ReadonlyMap<string, Names>;
  /** Tunnels that the database has on any bridge. */
  readonly tunnels: readonly RecordedTunnel[];
  /** The bridges whose ports nobody has listed. */
  readonly unlisted: ReadonlySet<string>;
  /** What the dumps hold, or cannot hold, of which something is not answered. */
  readonly notes: readonly string[];
  /** Devices that a testbed has not, and what it has in their place. */
  readonly substitutions: readonly string[];
  /** What they cannot say of floods, for packets that go out of several ports. */
  readonly floodNotes: readonly FloodNote[];
}

/**
 * @param say is called with how far it is, where there is much to read.
 * @param database the bridges that an OVSDB dump holds; a patch port whose other end is on none
 *   of `sources` is where packets leave.
 * @param bonds `ovs-appctl bond/show`, which `database` has read as well.
 * @throws InputError with file, line and column for a flow, group, meter, option or port that is
 *   none, Unsupported for what plans have no words for.
 */
export function dumpedSwitch(
  sources: readonly BridgeSources[],
  database?: ReadonlyMap<string, DatabaseBridge>,
  say: (line: string) => void = () => undefined,
  bonds?: TextSource,
): DumpedSwitch {
  const known = sources.map((source) => source.bridge);
  const read = sources.map((source) => {
    const recorded = database?.get(source.bridge);
    if (database !== undefined && recorded === undefined)
      throw unknownName('bridge', source.bridge, [...database.keys()]);
    if (recorded !== undefined) refuseUnknown(source.bridge, recorded.unknown);
    return readBridge(source, recorded, known, say);
  });
  const built = builtRows(known, database);
  // Bridges of a switch are taken to be of one datapath.
  const conntrack = database?.get(known[0] ?? '')?.conntrack;
  const plan: NodePlan = {
    node: 'switch',
    hosts: [],
    bridges: read.map(({ bridge }) => bridge),
    ...(conntrack === undefined ? {} : { conntrack }),
    ...(known.some((name) => database?.get(name)?.tagsMax === 2) ? { tagsMax: 2 } : {}),
    asDumped: {
      ...(built === undefined
        ? rowsShown(sources)
        : { rows: built.rows, activeMembers: built.activeMembers }),
      ...(bonds === undefined ? {} : { bondHashes: bondHashes(bonds.text) }),
      programs: Object.fromEntries(read.map(({ bridge, asDumped }) => [bridge.name, asDumped])),
      downPorts: [
        ...new Set([...(built?.downPorts ?? []), ...read.flatMap(({ downPorts }) => downPorts)]),
      ],
    },
  };
  checkPortNames(plan);
  return {
    plan,
    names: new Map(read.map(({ bridge, names }) => [bridge.name, names])),
    notes: read.flatMap(({ notes }) => notes),
    substitutions: built?.notes ?? [],
    tunnels: [...(database?.values() ?? [])].flatMap(({ tunnels }) => tunnels),
    floodNotes: read.flatMap(({ floodNotes }) => floodNotes),
    unlisted: new Set(read.filter(({ isListed }) => !isListed).map(({ bridge }) => bridge.name)),
  };
}

/** Without a database, where all ports are listed. */
function rowsShown(sources: readonly BridgeSources[]): Pick<DumpedNode, 'rows'> {
  const shown = sources.flatMap(({ bridge, ports }) =>
    ports === undefined ? [] : [{ bridge, ports: undoMarkup(ports) }],
  );
  return shown.length < sources.length ? {} : { rows: shownRows(shown) };
}

/** Of all bridges that are given; undefined without a database. */
function builtRows(
  bridges: readonly string[],
  database: ReadonlyMap<string, DatabaseBridge> | undefined,
): RowsToBuild | undefined {
  if (database === undefined) return undefined;
  const rows = bridges.flatMap((name) => database.get(name)?.rows ?? []);
  return rowsToBuild([...new Map(rows.map((row) => [row.uuid, row])).values()], bridges);
}

/** Ports of a switch have one name each, whatever bridge they are of. */
function checkPortNames({ bridges }: NodePlan): void {
  const owners = new Map<string, string>();
  for (const { name: bridge, ports } of bridges) {
    for (const name of [bridge, ...ports.map((port) => port.name)]) {
      const other = owners.get(name);
      if (other !== undefined)
        throw new InputError(
          `${other} and ${bridge} both have a port "${name}"; with several bridges, ports ` +
            'need names of their own: give what "ovs-ofctl show" prints of each, or --ovsdb',
        );
      owners.set(name, bridge);
    }
  }
}
