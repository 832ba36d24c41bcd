/**
 * Cookies of flows that ovn-controller makes: the first digits of the UUID of the southbound row
 * that a flow comes from (ovn-controller's lflow.c and physical.c). UUIDs are made up each time;
 * what a row says is not, and by that its cookie is renamed.
 */
import { sha256 } from '../base/files/digest.js';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import { externalId, uuidIn, uuidsIn } from './row-values.js';
import type { Zone } from './zone.js';

/** The southbound row that flows with one cookie come from. */
export interface FlowSource {
  /** `0x1a2b3c4d`, as the switch holds it. */
  readonly cookie: string;
  /** Of what the row says: the same whenever the same is compiled. */
  readonly canonical: string;
  /**
   * `n1 ingress 4 ls_in_arp_rsp priority=50 match, for Logical_Switch_Port p1`, or the port or
   * group that the flow is about.
   */
  readonly text: string;
  /** Of a logical flow: its stage, priority and actions. */
  readonly effect?: string;
}

const tables = {
  Datapath_Binding: ['_uuid', 'external_ids'],
  Logical_Flow: [
    '_uuid',
    'logical_datapath',
    'logical_dp_group',
    'pipeline',
    'table_id',
    'priority',
    'match',
    'actions',
    'external_ids',
  ],
  Logical_DP_Group: ['_uuid', 'datapaths'],
  Port_Binding: ['_uuid', 'logical_port'],
  Multicast_Group: ['_uuid', 'datapath', 'name'],
  Chassis: ['_uuid', 'name'],
  MAC_Binding: ['_uuid', 'logical_port', 'ip', 'mac'],
} as const;

/**
 * What all cookies of a zone stand for, in no particular order. @param rows northbound rows by the
 * first digits of their UUIDs, as stage hints have them (ovn-sb(5), Logical_Flow, "external_ids").
 */
export async function flowSources(
  { south }: Zone,
  rows: ReadonlyMap<string, string>,
): Promise<readonly FlowSource[]> {
  const names = Object.keys(tables) as (keyof typeof tables)[];
  const results = await south.ovsdb.transact(
    names.map((table) => ({ op: 'select', table, where: [], columns: tables[table] })),
  );
  const rowsOf = (table: keyof typeof tables) => results[names.indexOf(table)] ?? [];
  const datapaths = new Map(
    rowsOf('Datapath_Binding').map((row) => [uuidIn(row, '_uuid'), externalId(row, 'name')]),
  );
  const nameOf = (uuid: string | undefined) => datapaths.get(uuid) ?? '?';
  const groups = new Map(
    rowsOf('Logical_DP_Group').map((row) => [
      uuidIn(row, '_uuid'),
      uuidsIn(row, 'datapaths').map(nameOf).toSorted().join('+'),
    ]),
  );
  const where = (row: Row) => {
    const datapath = uuidIn(row, 'logical_datapath');
    return datapath === undefined
      ? (groups.get(uuidIn(row, 'logical_dp_group')) ?? '?')
      : nameOf(datapath);
  };
  return [
    ...rowsOf('Logical_Flow').map((row) => ({
      ...sourceOf(
        row,
        `${where(row)} ${String(row['pipeline'])} ${String(row['table_id'])} ` +
          `${externalId(row, 'stage-name')} priority=${String(row['priority'])} ` +
          `${String(row['match'])}`,
        rows.get(externalId(row, 'stage-hint')),
      ),
      effect: [row['pipeline'], row['table_id'], row['priority'], row['actions']].join(' '),
    })),
    ...rowsOf('Port_Binding').map((row) => sourceOf(row, `port ${String(row['logical_port'])}`)),
    ...rowsOf('Multicast_Group').map((row) =>
      sourceOf(row, `group ${String(row['name'])} of ${nameOf(uuidIn(row, 'datapath'))}`),
    ),
    ...rowsOf('Chassis').map((row) => sourceOf(row, `chassis ${String(row['name'])}`)),
    ...rowsOf('MAC_Binding').map(({ logical_port: port, ip, mac, ...row }) =>
      sourceOf(row, `neighbour ${String(ip)} at ${String(mac)} behind ${String(port)}`),
    ),
  ];
}

/** @param behind the northbound row; it does not change the cookie. */
function sourceOf(row: Row, text: string, behind?: string): FlowSource {
  const digits = (hex: string) => `0x${hex.slice(0, 8).replace(/^0+(?=.)/, '')}`;
  return {
    cookie: digits(uuidIn(row, '_uuid') ?? ''),
    canonical: digits(sha256(text)),
    text: behind === undefined ? text : `${text}, for ${behind}`,
  };
}

interface SourceLookup {
  /** By cookie. */
  readonly canonical: ReadonlyMap<string, string>;
  /** By canonical cookie. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Each bridge of a zone asks for those of all. */
const lookups = new WeakMap<readonly FlowSource[], SourceLookup>();

function lookedUp(sources: readonly FlowSource[]): SourceLookup {
  const known = lookups.get(sources);
  if (known !== undefined) return known;
  const made: SourceLookup = {
    canonical: new Map(sources.map(({ cookie, canonical }) => [cookie, canonical])),
    texts: new Map(
      sources
        .map(({ canonical, text }) => [canonical, text] as const)
        .toSorted(([, one], [, other]) => (one < other ? 1 : -1)),
    ),
  };
  lookups.set(sources, made);
  return made;
}

/** What the cookies of these flows stand for, by canonical cookie. */
export function sourcesIn(
  flows: readonly string[],
  sources: readonly FlowSource[],
): Readonly<Record<string, string>> {
  const { texts } = lookedUp(sources);
  const cookies = new Set(flows.flatMap((flow) => /\bcookie=(0x[0-9a-f]+)/.exec(flow)?.[1] ?? []));
  return Object.fromEntries(
    [...cookies].toSorted().flatMap((cookie) => {
      const text = texts.get(cookie);
      return text === undefined ? [] : [[cookie, text] as const];
    }),
  );
}

/** Flows as the switch prints them, with cookies that do not change from one time to the next. */
export function renameCookies(
  flows: readonly string[],
  sources: readonly FlowSource[],
): readonly string[] {
  const { canonical } = lookedUp(sources);
  return flows.map((flow) =>
    // Those of flows that it learns stand in it, too.
    flow.replaceAll(
      /\bcookie=(0x[0-9a-f]+)/g,
      (_, cookie: string) => `cookie=${canonical.get(cookie) ?? cookie}`,
    ),
  );
}
