/**
 * One stimulus with its identity. Addresses are text as people write them: IPv4 dotted, MAC with colons. `from`
 * names a host of the cluster: a pod, or a node (its own stack behind the gateway port).
 */
export interface TestVector {
  /** Unique within a scenario, stable between runs, made of words and slashes: `ping/p1/p4`. */
  readonly id: string;
  readonly stimulus: Stimulus;
}

export type Stimulus =
  /** An ICMP echo request by the host's own stack: routing, ARP, then the request. TTL 64 unless told. */
  | { readonly kind: 'ping'; readonly from: string; readonly to: string; readonly ttl?: number }
  /** A UDP datagram by the host's own stack to a port; port 7 is answered with the same payload (RFC 862). */
  | { readonly kind: 'udp'; readonly from: string; readonly to: string; readonly port: number; readonly ttl?: number }
  /** An ARP request for `target` by the host's own stack on the interface that routes there. */
  | { readonly kind: 'arp'; readonly from: string; readonly target: string }
  /** A frame written past the host's stack, to the port of the host's `interface` (its first unless told). */
  | { readonly kind: 'frame'; readonly from: string; readonly interface?: string; readonly what: string; readonly frame: FrameSpec };

export interface FrameSpec {
  readonly src: string;
  readonly dst: string;
  readonly payload: PayloadSpec;
}

export type PayloadSpec =
  | { readonly kind: 'udp'; readonly src: string; readonly dst: string; readonly ttl: number; readonly srcPort: number; readonly dstPort: number }
  | { readonly kind: 'echo-request'; readonly src: string; readonly dst: string; readonly ttl: number }
  | { readonly kind: 'arp'; readonly op: 'request' | 'reply'; readonly sha: string; readonly spa: string; readonly tha: string; readonly tpa: string }
  | { readonly kind: 'other'; readonly etherType: number; readonly hex: string };
