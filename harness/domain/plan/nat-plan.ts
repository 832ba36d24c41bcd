/**
 * How a host that forwards translates addresses and ports: netfilter's nat table as plain data
 * (iptables(8), "nat"; iptables-extensions(8), "DNAT", "MASQUERADE"). A connection is decided on
 * once, for its first packet; packets after it, and answers, follow what was decided.
 */
export interface NatPlan {
  /**
   * Asked before the packet is routed, of what comes in and of what the host itself sends; the
   * first that matches counts.
   */
  readonly destinations: readonly DnatRule[];
  /** Asked where the packet leaves; the first that matches counts. */
  readonly sources: readonly SnatRule[];
  /** How long connections are remembered; as Linux does where it is missing. */
  readonly lifetimes?: NatTimeouts;
}

/**
 * Seconds without a packet. TCP is transient until it was answered (Microsoft, "New-NetNat":
 * IcmpQueryTimeout, UdpIdleSessionTimeout, TcpTransientConnectionTimeout,
 * TcpEstablishedConnectionTimeout).
 */
export interface NatTimeouts {
  readonly icmpS: number;
  readonly udpS: number;
  readonly tcpTransientS: number;
  readonly tcpEstablishedS: number;
}

export interface DnatRule {
  /** `from`: the blocks that the sender is in; anybody where they are missing. */
  readonly match: {
    readonly ip: string;
    readonly protocol: TransportProtocol;
    readonly port: number;
    readonly from?: readonly string[];
  };
  /** One of them. */
  readonly to: readonly AddressAndPort[];
  /** Where there is none: the sender gets a port unreachable error, or no answer, where `lost`. */
  readonly nobody?: 'lost';
  /**
   * For how many seconds a sender gets the same one again, since it last opened a connection by a
   * rule of this name; missing where every connection is on its own.
   */
  readonly affinity?: { readonly name: string; readonly seconds: number };
  /**
   * Senders from elsewhere than these blocks get the host's own address, and so does who is sent to
   * itself.
   */
  readonly keepsSenders: readonly string[];
}

/** The connection gets the address of the interface that it leaves by. */
export interface SnatRule {
  /** Blocks that the sender's address is in, and that the destination is in none of. */
  readonly from: readonly string[];
  readonly except: readonly string[];
  /**
   * The connection gets the lowest of these ports that is free; its own, if that can be, where they
   * are missing. ICMP's identifiers count as ports.
   */
  readonly ports?: { readonly first: number; readonly last: number };
}

export interface AddressAndPort {
  readonly ip: string;
  readonly port: number;
}

export type TransportProtocol = 'TCP' | 'UDP' | 'SCTP';
