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
}

export interface LogicalTrace {
  /** The command that says it again. */
  readonly command: string;
  /** Logical flows that it meets, as `sources` of a bridge has them, in order. */
  readonly flows: readonly string[];
  /** Those of the zone that only go on to the next table: ovn-trace does not print them. */
  readonly passedOver: ReadonlySet<string>;
  /** Logical ports of interfaces that it comes out of. */
  readonly outputs: readonly string[];
  /** What ovn-trace had to suppose, in its words, once it had met so many of `flows`. */
  readonly supposed?: { readonly what: string; readonly after: number };
}
