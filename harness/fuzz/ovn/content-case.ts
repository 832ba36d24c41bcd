/** One case: northbound content, what is sent through it, and what was found. */
import type { OvnContent } from '../../domain/plan/ovn-content.js';
import type { Stimulus } from '../../domain/test-vector.js';

export interface ContentCase {
  /** Its number in the seed. */
  readonly index: number;
  readonly content: OvnContent;
  readonly stimuli: readonly Stimulus[];
}

/** Kinds of content, to be counted: `ACL reject`, `Load_Balancer`. */
export function kindsOf({ content }: Pick<ContentCase, 'content'>): readonly string[] {
  return content.rows.map(({ table, columns: { action, type } }) => {
    const kind = action ?? type;
    return typeof kind === 'string' ? `${table} ${kind}` : table;
  });
}

/**
 * What decides which datapaths each chassis needs: where routers are, as gateway routers or by
 * distributed gateway ports, and whether these translate at the chassis of pods as well (ovn-nb(5),
 * NAT, "external_mac": without one, OVN has ports "always-redirect").
 */
export function placesIn({ rows, columns }: OvnContent): string {
  const routers = Object.values(columns).flatMap(({ options }) =>
    typeof options === 'object' && 'map' in options ? [options.map['chassis']] : [],
  );
  const ports = rows.flatMap(({ table, id }) => (table === 'Gateway_Chassis' ? [id] : []));
  const isDistributed = rows.some(({ columns: held }) => 'external_mac' in held);
  return JSON.stringify([routers, ports, isDistributed]);
}

/** Who says something else: compiled step by step against from scratch, or of a packet. */
export type ContentAspect = 'recompute' | 'frames' | 'counters' | 'ovn-trace';

export interface ContentDifference {
  readonly aspect: ContentAspect;
  /** Missing of what is compiled. */
  readonly stimulus?: Stimulus;
  readonly summary: string;
}

export interface ContentOutcome {
  readonly index: number;
  readonly kinds: readonly string[];
  readonly flows: number;
  readonly packets: number;
  /** Packets that ovn-trace was asked about, and those behind what it has to suppose. */
  readonly traced: { readonly made: number; readonly skipped: number };
  /** How ovn-trace ended itself, of each packet at which it did: these are skipped, too. */
  readonly crashes: readonly string[];
  /** What ovn-trace supposes, of each packet at which a difference stood behind it. */
  readonly supposed: readonly string[];
  readonly differences: readonly ContentDifference[];
  /** What was not compared, by name. */
  readonly leftOut: readonly string[];
  /** What the model refuses by name: nothing is said of those packets. */
  readonly refused: readonly string[];
}
