/** What switches remember from packets, as `dpctl/dump-conntrack -m -s` and `fdb/show` tell it (ovs-vswitchd(8)). */
export interface SwitchState {
  readonly connections: readonly TrackedConnection[];
  readonly macs: readonly LearnedMac[];
}

export interface TrackedConnection {
  readonly node: string;
  readonly zone: number;
  /** `tcp`, `udp`, `icmp`, or a number. */
  readonly protocol: string;
  /** The direction of the first packet, and the other: `src=10.10.1.2,dst=10.10.1.3,sport=49152,dport=7`. */
  readonly original: string;
  readonly reply: string;
  readonly mark: number;
  /** 128 bits as `0x…`; missing where it is zero. */
  readonly label?: string;
  /** Of TCP, the states of both ends and how their windows scale; empty for others. */
  readonly progress: string;
  /** What reads its packets for others that they tell of; missing where nothing does. */
  readonly helper?: string;
  /** The direction in which the connection began that told of this one, where one did. */
  readonly parent?: string;
  /** Whole seconds of virtual time until it is forgotten. */
  readonly timeoutS: number;
}

export interface LearnedMac {
  readonly node: string;
  readonly bridge: string;
  readonly port: string;
  readonly vlan: number;
  readonly mac: string;
}
