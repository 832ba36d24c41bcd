import type { FlowCount } from './switching.js';

/**
 * What switches remember from packets, as `dpctl/dump-conntrack -m -s`, `fdb/show` and `mdb/show`
 * print it (ovs-vswitchd(8)).
 */
export interface SwitchState {
  readonly connections: readonly TrackedConnection[];
  readonly macs: readonly LearnedMac[];
  /** Missing where no bridge snoops. */
  readonly multicast?: readonly MulticastPort[];
}

export interface TrackedConnection {
  readonly node: string;
  readonly zone: number;
  /** `tcp`, `udp`, `icmp`, or a number. */
  readonly protocol: string;
  /**
   * The direction of the first packet, and the other:
   * `src=10.10.1.2,dst=10.10.1.3,sport=49152,dport=7`.
   */
  readonly original: string;
  readonly reply: string;
  readonly mark: number;
  /** 128 bits as `0x…`; missing where it is zero. */
  readonly label?: string;
  /** Of TCP, the states of both ends and how their windows scale; empty for others. */
  readonly progress: string;
  /** What reads its packets for connections that they announce; missing where nothing does. */
  readonly helper?: string;
  /** The direction in which the connection began that announced this one, where one did. */
  readonly parent?: string;
  /** Whole seconds of virtual time until it is forgotten. */
  readonly timeoutS: number;
  /** The clock that it is counted by has run ahead by less than so much: it may be as much less. */
  readonly aheadS?: number;
}

export interface LearnedMac {
  readonly node: string;
  readonly bridge: string;
  readonly port: string;
  readonly vlan: number;
  readonly mac: string;
}

/** A port behind which somebody asked for multicast, or routes it. */
export interface MulticastPort {
  readonly node: string;
  readonly bridge: string;
  readonly port: string;
  readonly vlan: number;
  /** An address of IPv4 or IPv6; `querier` stands for all that a router wants. */
  readonly group: string;
  /** Whole seconds of virtual time since it was asked for. */
  readonly ageS: number;
}

/** What several nodes remember. */
export function joinStates(states: readonly SwitchState[]): SwitchState {
  const multicast = states.flatMap((state) =>
    state.multicast === undefined ? [] : [state.multicast],
  );
  return {
    connections: states.flatMap(({ connections }) => connections),
    macs: states.flatMap(({ macs }) => macs),
    ...(multicast.length === 0 ? {} : { multicast: multicast.flat() }),
  };
}
/** What a level reports when all passes are over. */

export interface FinalState {
  readonly counts: readonly FlowCount[];
  /** What the switches remember. */
  readonly state: SwitchState;
}
