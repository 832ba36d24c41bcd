/**
 * One stimulus with its identity. Addresses are text as people write them: IPv4 dotted, IPv6 and
 * MAC with colons. `from` names a host of the cluster: a pod, or a node (its own stack behind the
 * gateway port).
 */
export interface TestVector {
  /** Unique within a scenario, stable between runs, made of words and slashes: `ping/p1/p4`. */
  readonly id: string;
  readonly stimulus: Stimulus;
  /**
   * It may run in a batch with others that say the same: no switch takes a packet of one for part
   * of another's connection, nor learns from it what affects another's.
   */
  readonly together?: string;
  /**
   * It is one of very many: it runs in its `cold` pass alone, and in a batch its frames are not
   * recorded.
   */
  readonly depth?: 'cold';
  /**
   * It is one datagram of a stream with this name: a run says which of them were lost, and when.
   */
  readonly stream?: string;
}

/**
 * One playing of a vector. A vector is played several times over, and the switches forget nothing
 * in between. `cold`: they know nothing yet. `again`: they remember connections and MACs, and have
 * to translate what that changes. `cached`: the same once more, where that was something, so that
 * their datapaths' caches answer alone. `sibling`: one field is changed, while the caches are full.
 */
export interface Pass {
  readonly name: PassName;
  readonly stimulus: Stimulus;
}
export const passNames = ['cold', 'again', 'cached', 'sibling'] as const;
export type PassName = (typeof passNames)[number];

export type Stimulus =
  /**
   * An ICMP echo request by the host's own stack: routing, ARP, then the request. TTL 64 by
   * default. Where it `waited`, nothing is sent: one of a vector before has waited in
   * ovn-controller for a neighbour, and continues by itself.
   */
  | {
      readonly kind: 'ping';
      readonly from: string;
      readonly to: string;
      readonly ttl?: number;
      readonly waited?: true;
    }
  /**
   * A UDP datagram by the host's own stack to a port; port 7 is answered with the same payload (RFC
   * 862). It is sent after so many milliseconds of virtual time; at once where that is missing.
   */
  | {
      readonly kind: 'udp';
      readonly from: string;
      readonly to: string;
      readonly port: number;
      readonly ttl?: number;
      readonly afterMs?: number;
    }
  /**
   * A TCP connection by the host's own stack: it sends a payload, reads it back from port 7 (RFC
   * 862) and closes. By default TTL 64, and a segment is sent 7 times before the sender gives up.
   */
  | {
      readonly kind: 'tcp';
      readonly from: string;
      readonly to: string;
      readonly port: number;
      readonly ttl?: number;
      readonly transmissions?: number;
      readonly interjection?: Interjection;
    }
  /**
   * A TCP connection that is closed as soon as it stands: what a kubelet's tcpSocket probe does. By
   * default a segment is sent 7 times before the sender gives up.
   */
  | {
      readonly kind: 'probe';
      readonly from: string;
      readonly to: string;
      readonly port: number;
      readonly transmissions?: number;
    }
  /**
   * `count` datagrams or connections as with `udp` and `tcp`, one every `everyMs`, each from a port
   * of its own.
   */
  | {
      readonly kind: 'calls';
      readonly protocol: 'TCP' | 'UDP';
      readonly from: string;
      readonly to: string;
      readonly port: number;
      readonly count: number;
      readonly everyMs: number;
      readonly ttl?: number;
    }
  /**
   * An SCTP association by the host's own stack: one message, then it is shut down. By default a
   * chunk is sent 9 times before the sender gives up.
   */
  | {
      readonly kind: 'sctp';
      readonly from: string;
      readonly to: string;
      readonly port: number;
      readonly transmissions?: number;
    }
  /**
   * A TCP connection that stays open under a name of its own. Its opener sends every segment once.
   */
  | {
      readonly kind: 'open';
      readonly from: string;
      readonly to: string;
      readonly port: number;
      readonly connection: string;
    }
  /** Data by the connection that `from` has opened under this name, to be sent back (RFC 862). */
  | {
      readonly kind: 'talk';
      readonly from: string;
      readonly to: string;
      readonly port: number;
      readonly connection: string;
    }
  /**
   * An ARP request for `target` by the host's own stack on the interface that routes there; a
   * neighbour solicitation where that is an address of IPv6.
   */
  | { readonly kind: 'arp'; readonly from: string; readonly target: string }
  /**
   * ovn-controller of the node `from` makes known by gratuitous ARP which addresses are at its
   * gateway, for the `copy`th time; of `address` alone, where one is given (ovn-controller(8),
   * "garp-max-timeout-sec").
   */
  | {
      readonly kind: 'announcement';
      readonly from: string;
      readonly copy: number;
      readonly address?: string;
    }
  /** A DHCP client on the host's first interface asks for an address (RFC 2131, RFC 8415). */
  | { readonly kind: 'dhcp'; readonly from: string; readonly version?: 6 }
  /**
   * A frame written past the host's stack, to the port of the host's `interface` (by default its
   * first).
   */
  | {
      readonly kind: 'frame';
      readonly from: string;
      readonly interface?: string;
      readonly what: string;
      readonly frame: FrameSpec;
    };

export type Announced = Extract<Stimulus, { readonly kind: 'announcement' }>;

/**
 * One segment that does not belong, sent in the middle of an established connection by one of its
 * ends.
 */
export interface Interjection {
  readonly by: 'opener' | 'answerer';
  readonly segment: InterjectedSegment;
}

/** Data 2^30 bytes ahead of its place; a SYN with FIN; the next byte, with a wrong checksum. */
export type InterjectedSegment = 'out-of-window' | 'syn-fin' | 'bad-checksum';

export interface FrameSpec {
  readonly src: string;
  readonly dst: string;
  readonly payload: PayloadSpec;
}

export type PayloadSpec =
  | {
      readonly kind: 'udp';
      readonly src: string;
      readonly dst: string;
      readonly ttl: number;
      readonly srcPort: number;
      readonly dstPort: number;
    }
  /** A TCP segment of no connection, empty, with numbers of the vector's draw. */
  | {
      readonly kind: 'tcp';
      readonly src: string;
      readonly dst: string;
      readonly ttl: number;
      readonly srcPort: number;
      readonly dstPort: number;
      readonly flags: readonly TcpFlag[];
      readonly checksum: 'right' | 'wrong';
    }
  | {
      readonly kind: 'echo-request';
      readonly src: string;
      readonly dst: string;
      readonly ttl: number;
    }
  | {
      readonly kind: 'arp';
      readonly op: 'request' | 'reply';
      readonly sha: string;
      readonly spa: string;
      readonly tha: string;
      readonly tpa: string;
    }
  /** Says unasked to `dst` that `target` has another MAC address (RFC 4861, section 7.2.6). */
  | {
      readonly kind: 'neighbour-advertisement';
      readonly target: string;
      readonly mac: string;
      readonly dst: string;
    }
  | { readonly kind: 'other'; readonly etherType: number; readonly hex: string };

export type TcpFlag = 'SYN' | 'ACK' | 'FIN' | 'RST';
