/** What one vector did, as the fabric around the switches saw it. Virtual time, in whole microseconds from the stimulus. */
export interface Observation {
  /** Every frame that entered or left a switch port, in order of (time, node, port, index). */
  readonly frames: readonly FrameEvent[];
  /** What the hosts made of it, in order of time. */
  readonly notes: readonly HostNote[];
}

export interface FrameEvent {
  readonly timeUs: number;
  readonly node: string;
  readonly port: string;
  /** Seen from the switch: `in` enters it, `out` leaves it. */
  readonly direction: 'in' | 'out';
  readonly frame: Uint8Array;
}

export type HostNote = { readonly timeUs: number; readonly host: string } & (
  /** A stack accepted a datagram that was addressed to it. */
  | { readonly kind: 'received'; readonly what: 'echo-request' | 'echo-reply' | 'udp'; readonly src: string; readonly dst: string; readonly ttl: number }
  /** ARP gave an answer, or none in time. */
  | { readonly kind: 'resolved'; readonly ip: string; readonly mac: string }
  | { readonly kind: 'unresolved'; readonly ip: string }
  /** A stack dropped a packet it got, and why. */
  | { readonly kind: 'dropped'; readonly why: string; readonly src: string; readonly dst: string }
  /** What the host sent goes round and round: frames were still under way when the observation was broken off. */
  | { readonly kind: 'endless' }
);
