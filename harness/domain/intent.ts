import type { Lease } from './observation.js';

/**
 * L0's word on one vector: what Kubernetes and the seed promise, in terms of hosts and addresses
 * alone.
 */
export type Intent =
  /**
   * The datagram reaches `to`, which sees `source` as its sender, and the answer comes back to the
   * sender; a connection stands and is closed at both ends, too. The outcome of a segment of no
   * connection is promised where one is sent.
   */
  | {
      readonly kind: 'round-trip';
      readonly to: string;
      readonly source: string;
      readonly interjection?: InterjectionIntent;
      readonly path?: readonly PathIntent[];
      readonly relay?: RelayIntent;
      /** A proxy has the connection since it was opened, and passes on what belongs to it. */
      readonly through?: string;
      readonly transmission?: Transmission;
    }
  /**
   * The segment reaches `to`, which sees `source` as its sender and answers with a reset, and that
   * comes back to the sender.
   */
  | { readonly kind: 'refused'; readonly to: string; readonly source: string; readonly why: string }
  /** The datagram reaches `to`, which sees `source` as its sender; nobody is there to answer it. */
  | {
      readonly kind: 'delivered';
      readonly to: string;
      readonly source: string;
      readonly why: string;
    }
  /**
   * As `round-trip`, by one of `answerers` for each that is asked for: `spread` says whether it is
   * the same one for all of them, or each of the answerers for at least one. With `lost`, one that
   * is asked for may get lost as well; hosts of `ignoredBy` may get a packet then.
   */
  | {
      readonly kind: 'balanced';
      readonly answerers: readonly Answerer[];
      readonly spread: 'any' | 'the same' | 'every one';
      readonly lost?: string;
      readonly ignoredBy?: readonly string[];
      readonly relay?: RelayIntent;
      readonly transmission?: Transmission;
      readonly why: string;
    }
  /** No host gets it, and the sender gets an error: an ICMP error where it is not said. */
  | {
      readonly kind: 'rejected';
      readonly by?: 'a reset';
      readonly why: string;
      readonly unheld?: Unheld;
    }
  /**
   * It ends at `by`, a proxy: of a connection, the sender sees it end, by a close or a reset, and
   * nobody behind the proxy gets any of it; of a datagram, nobody gets it and nothing comes back.
   * Who has the address of the one that is gone, `refusedBy`, knows no such connection.
   */
  | {
      readonly kind: 'abandoned';
      readonly by: string;
      readonly why: string;
      readonly refusedBy?: string;
    }
  /** The ARP request is answered with `mac`. */
  | { readonly kind: 'resolves'; readonly ip: string; readonly mac: string }
  /** DHCP gives the sender this. */
  | { readonly kind: 'leases'; readonly lease: Lease }
  /**
   * Each of these leaves the sender's node at `port` once, and nothing else does: gratuitous ARP of
   * an address, `172.30.128.1 is at 0a:…`, or RARP of a MAC address alone.
   */
  | { readonly kind: 'announced'; readonly port: string; readonly what: readonly string[] }
  /**
   * No frame of it comes out at any host but those of `ignoredBy`, whose stacks drop it since it is
   * for another address, or whose answers get lost; nobody gets an ARP answer out of it, and the
   * sender gets no answer.
   */
  | {
      readonly kind: 'denied';
      readonly why: string;
      readonly ignoredBy?: readonly string[];
      readonly unheld?: Unheld;
    }
  /** As `denied`, and more: not a single frame comes out at any port of any node. */
  | { readonly kind: 'blocked'; readonly why: string; readonly unheld?: Unheld }
  /** One of `outcomes`, as a whole; which one is not promised. */
  | { readonly kind: 'either'; readonly outcomes: readonly Intent[]; readonly why: string }
  /** `promise`; where the divergence called `by` is known of a control plane, `instead` happens. */
  | ContradictedIntent;

/**
 * The address, of any layer, that nobody holds, where that alone is why nobody gets what is sent
 * there; missing where somebody would get it if it were let through.
 */
export type Unheld = string;

/** Why nobody gets what goes to an address. */
export function nobodyHolds(unheld: Unheld): { readonly why: string; readonly unheld: Unheld } {
  return { why: `nobody holds ${unheld}`, unheld };
}

/**
 * Which transmission of the first segment, or of a request for an address, is the one that arrives:
 * a number, 1 where it is missing, or any of them.
 */
export type Transmission = number | 'any';

export interface ContradictedIntent {
  readonly kind: 'contradicted';
  readonly promise: Intent;
  readonly instead: Intent;
  /** The same where Linux tracks connections, if that differs. */
  readonly insteadOnLinux?: Intent;
  /** The name of a `KnownDivergence`. */
  readonly by: string;
  /** It is so in a first pass alone: once switches remember that, the promise may be kept. */
  readonly pass?: 'cold';
  /** Why, with its sources; L0 leaves that to the control plane that the divergence is known of. */
  readonly cause?: string;
}

/**
 * Not the sender's own connection reaches them: `by` ends it, which sees `client` as its sender,
 * and opens another one for it. Where nobody is promised to, nobody may.
 */
export interface RelayIntent {
  readonly by: string;
  readonly client: string;
  /** Who may be asked before, and refuses. */
  readonly refusing?: readonly string[];
}

/**
 * The way of it and of its answer through a node: all that goes into or comes out of these ports of
 * its switches, in order.
 */
export interface PathIntent {
  readonly node: string;
  readonly ports: readonly string[];
  /** A connection goes the same way again and again: a crossing stands here once. */
  readonly crossings: readonly Crossing[];
}

/** An IP packet at a port, by its outermost addresses. `in` enters the switch, `out` leaves it. */
export interface Crossing {
  readonly direction: 'in' | 'out';
  readonly port: string;
  readonly src: string;
  readonly dst: string;
  /** The MAC address that it is sent to, where that is promised as well. */
  readonly mac?: string;
  /**
   * What its source port, or the identifier of its echo, is among, where that is promised as well.
   */
  readonly srcPorts?: { readonly first: number; readonly last: number };
}

/**
 * `open`: the promises contradict each other, and either may happen. `any`: nobody sends one, but
 * segments may come late or twice, at both ends.
 */
export interface InterjectionIntent {
  readonly kind: 'arrives' | 'dropped' | 'open' | 'any';
  readonly why: string;
}

/** Somebody who may answer, and the addresses that it may see as the sender's. */
export interface Answerer {
  readonly to: string;
  readonly sources: readonly string[];
  /** Why what it answers to a datagram does not come back. */
  readonly unanswered?: string;
}
