/**
 * What one pass of a vector did, as the fabric around the switches saw it. Virtual time, in whole
 * microseconds from the stimulus.
 */
export interface Observation {
  /** Every frame that entered or left a switch port, in order of (time, node, port, index). */
  readonly frames: readonly FrameEvent[];
  /** What the hosts made of it, in order of time. */
  readonly notes: readonly HostNote[];
  /** Every frame at a host's interface, in order of time; missing where hosts are not emulated. */
  readonly hostFrames?: readonly HostFrame[];
}

/**
 * A frame at a host's interface. What a node's stack is not the destination of is `in transit`: it
 * routes or drops it. All else that comes out at a port behind which a host stands has `arrived`.
 */
export interface HostFrame {
  readonly timeUs: number;
  readonly host: string;
  readonly kind: 'sent' | 'arrived' | 'in transit';
  readonly frame: Uint8Array;
}

export interface FrameEvent {
  readonly timeUs: number;
  readonly node: string;
  readonly port: string;
  /** Seen from the switch: `in` enters it, `out` leaves it. */
  readonly direction: 'in' | 'out';
  readonly frame: Uint8Array;
}

/** What a DHCP server gives to a host; empty, or zero, where it says nothing of it. */
export interface Lease {
  readonly ip: string;
  readonly netmask: string;
  readonly router: string;
  /** The server's identifier. */
  readonly server: string;
  readonly dnsServer: string;
  readonly hostname: string;
  readonly seconds: number;
}

export type HostNote = {
  readonly timeUs: number;
  readonly host: string;
} /** A stack accepted a datagram, or data of a connection, that was addressed to it. */ & (
  | {
      readonly kind: 'received';
      readonly what: 'echo-request' | 'echo-reply' | 'udp' | 'tcp' | 'sctp';
      readonly src: string;
      readonly dst: string;
      readonly ttl: number;
    }
  /** A TCP connection with `peer` stands, at the end that opened it or the one that answered. */
  | { readonly kind: 'connected'; readonly as: 'opener' | 'answerer'; readonly peer: string }
  /** Both ends have closed it and know that the other has. */
  | { readonly kind: 'closed'; readonly peer: string }
  /**
   * A reset came for a connection that was asked for, or for one that stands or that the host does
   * not know.
   */
  | { readonly kind: 'refused' | 'reset'; readonly peer: string }
  /**
   * A proxy of the host's has a connection of its own to `to`, for the one that `client` has with
   * it.
   */
  | { readonly kind: 'relayed'; readonly client: string; readonly to: string }
  /** Every transmission of a segment went unanswered. */
  | { readonly kind: 'timed-out'; readonly peer: string }
  /** A router reported to the sender that its packet to `peer` was dropped, and why. */
  | { readonly kind: 'unreachable'; readonly peer: string; readonly why: string }
  /** ARP gave an answer, or none in time. */
  | { readonly kind: 'resolved'; readonly ip: string; readonly mac: string }
  | { readonly kind: 'unresolved'; readonly ip: string }
  /** DHCP gave an address, or none in time. */
  | { readonly kind: 'leased'; readonly lease: Lease }
  | { readonly kind: 'unleased'; readonly why: string }
  /** A stack dropped a packet it got, and why. */
  | { readonly kind: 'dropped'; readonly why: string; readonly src: string; readonly dst: string }
  /**
   * What the host sent is in a forwarding loop: frames were still under way when the observation
   * was aborted.
   */
  | { readonly kind: 'endless' }
);
