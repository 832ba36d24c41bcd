/**
 * What OVN's own ovn-trace(8) makes of a packet, by the southbound database alone: one more voice
 * beside OpenFlow's, which it is held against.
 */
export interface LogicalPacket {
  readonly node: string;
  /** Where it comes in. */
  readonly logicalPort: string;
  readonly frame: Uint8Array;
  /**
   * What the connection tracker says when a logical flow (`sources` of a bridge) asks for the nth
   * time, from 0: bits of ct_state; undefined where it was not asked.
   */
  ctState(flow: string, nth: number): number | undefined;
  /** The mark of the connection that it said then (ct_mark). */
  ctMark?(flow: string, nth: number): number | undefined;
  /** The mark that it said first: ovn-trace takes one. */
  readonly mark?: number;
  /** What it has said in turn: where ovn-trace asks at the same flows, it is asked once. */
  readonly ctStates?: readonly number[];
}

export interface LogicalTrace {
  /** The command that says it again. */
  readonly command: string;
  /** Logical flows that it meets, as `sources` of a bridge has them, in order. */
  readonly flows: readonly string[];
  /**
   * Pipeline, table, priority and actions of each logical flow of the zone: of two that are alike
   * in these, and that both match, either may be taken.
   */
  readonly effects: ReadonlyMap<string, string>;
  /** Logical ports of interfaces that it comes out of. */
  readonly outputs: readonly string[];
  /** What ovn-trace had to suppose, in its words, about some of `flows`. */
  readonly supposed: readonly Supposition[];
  /**
   * How it ended before it had an answer: the assertion of its own that it failed, or the signal.
   * Then it says nothing about the packet.
   */
  readonly crash?: string;
}

/** Of flows from place `from` to before `to`; to the last where that is missing. */
export interface Supposition {
  readonly what: string;
  readonly from: number;
  readonly to?: number;
  /** What is said of places alone where a flow that one of the two takes matches this field. */
  readonly field?: string;
}
