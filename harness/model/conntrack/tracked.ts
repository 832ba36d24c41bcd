/** What the tracker is asked, what it says of a packet, and what it needs to know for that. */
import type { ConntrackPlan } from '../../domain/plan/cluster-plan.js';
import type { NatAction } from '../../openflow/actions/actions.js';
import type { Connection, ConnectionTableAt, Helper } from './connection.js';
import type { Expectation } from './expectation.js';
import type { Timeouts } from './timeouts.js';
import type { Tuple } from './tuple.js';

/**
 * What the datapath knows of a packet's connection, and keeps until the packet enters another zone
 * (Open vSwitch lib/packets.h, struct pkt_metadata).
 */
export interface Tracked {
  readonly zone: number;
  /** Bits of ct_state. */
  readonly state: number;
  readonly connection?: Connection;
  readonly isReply: boolean;
  /** Whether it quotes a packet of its connection. */
  readonly isError?: true;
  /** Of a packet without a connection, what it was expected with. */
  readonly expected?: Expectation;
  /**
   * The original direction of the connection, of the one that expected it, or that of a packet that
   * might begin one; missing for a packet that can belong to none.
   */
  readonly original?: Tuple;
  /** Of a packet that is invalid: by which rule. */
  readonly why?: string;
  /** Nothing is done with it any more. */
  readonly isDropped?: true;
  /** What its addresses and ports become. */
  readonly nat?: NatMapping;
}

/**
 * The packet goes in the direction of `tuple`; only one of its addresses is written, but both
 * ports.
 */
export interface NatMapping {
  readonly part: 'src' | 'dst';
  /** Whether what it quotes is translated as well. */
  readonly isOfError: boolean;
  readonly tuple: Tuple;
}

/** What flows ask for (ovs-actions(7), "ct"). */
export interface CtRequest {
  readonly zone: number;
  /**
   * The result for a packet without a connection; `by force`, one that would be an answer begins a
   * connection as well.
   */
  readonly commits: 'nothing' | 'new connections' | 'by force';
  readonly nat?: NatAction;
  readonly helper?: Helper;
  /** What reads the packet. */
  readonly reader?: Helper;
}

/** What the tracker needs to know of its node. */
export interface Tracker extends ConnectionTableAt {
  /** Those that expected others. */
  readonly controlConnections: Set<Connection>;
  readonly conntrack: ConntrackPlan;
  /** By zone, where a zone has a policy of its own. */
  readonly timeouts: ReadonlyMap<number, Timeouts>;
}

/**
 * The direction of the answers to a new connection that is translated; undefined where there can be
 * none.
 */
export type ChooseNatTuple<Node extends Tracker> = (
  node: Node,
  original: Tuple,
  nat: NatAction,
) => Tuple | undefined;
