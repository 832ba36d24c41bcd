/** What a flow can do: one kind an action, as a switch remembers it (ovs-actions(7)). */
import type { Field } from '../match/fields.js';

/** `bits` bits of a field, from bit `offset` up. */
export interface Subfield {
  readonly field: Field;
  readonly offset: number;
  readonly bits: number;
}

/**
 * What a flow does; an empty list drops the packet. `Actions` in their order, with instructions
 * where OpenFlow 1.1 has them.
 */
export type Action =
  | OutputAction
  | SetAction
  | HeaderAction
  | TableAction
  | CtAction
  | NatAction
  | LearnAction
  | ChoiceAction
  | OtherAction;

export type OutputAction =
  | { readonly kind: 'output'; readonly port: number }
  | { readonly kind: 'output-field'; readonly source: Subfield }
  /** A copy of at most `maxLength` bytes. */
  | { readonly kind: 'output-truncated'; readonly port: number; readonly maxLength: number }
  | ControllerAction
  /** Out of `port` by the queue, and then back to the queue before. */
  | { readonly kind: 'enqueue'; readonly port: number; readonly queue: number }
  | { readonly kind: 'set_queue'; readonly queue: number }
  | { readonly kind: 'pop_queue' }
  | { readonly kind: 'group'; readonly group: number };

/** The reason of a packet-in, in OpenFlow's numbers from 0. */
export const packetInReasons = [
  'no_match',
  'action',
  'invalid_ttl',
  'action_set',
  'group',
  'packet_out',
] as const;

/** A packet-in for the controllers with connection id `id`. */
export interface ControllerAction {
  readonly kind: 'controller';
  /** Bytes of the packet at most; 65535 is all of it. */
  readonly maxLength: number;
  readonly id: number;
  readonly reason: (typeof packetInReasons)[number];
  readonly userdata: readonly number[];
  /** The packet waits until the controller resumes it. */
  readonly pause: boolean;
  readonly meter?: number;
}

/**
 * How a switch remembers the setting of a field, which shows in what it prints: as `set_field`, as
 * `load`, or by an action of the field's own such as mod_nw_ttl. What happens to a packet is the
 * same.
 */
export type SetNotation = 'set_field' | 'load' | 'own' | 'set_tunnel64';

export type SetAction =
  /** The bits of `mask` take those of `value`; all of the field where there is no mask. */
  | {
      readonly kind: 'set';
      readonly notation: SetNotation;
      readonly field: Field;
      readonly value: bigint;
      readonly mask?: bigint;
    }
  /**
   * mod_vlan_vid and mod_vlan_pcp: pushes a tag where there is none. `tagged`: the flow's packets
   * have one here.
   */
  | {
      readonly kind: 'set_vlan';
      readonly part: 'vid' | 'pcp';
      readonly value: number;
      readonly tagged: boolean;
    }
  /** mod_tp_src and mod_tp_dst of a flow that does not say which transport's port it is. */
  | { readonly kind: 'set_port'; readonly part: 'src' | 'dst'; readonly value: number }
  | { readonly kind: 'move'; readonly source: Subfield; readonly destination: Subfield }
  | { readonly kind: 'push'; readonly source: Subfield }
  | { readonly kind: 'pop'; readonly destination: Subfield }
  | { readonly kind: 'delete_field'; readonly field: Field };

export type HeaderAction =
  | { readonly kind: 'push_vlan'; readonly type: number }
  | { readonly kind: 'pop_vlan' }
  | { readonly kind: 'push_mpls'; readonly type: number }
  /** `type` is the Ethernet type of what is left. */
  | { readonly kind: 'pop_mpls'; readonly type: number }
  | { readonly kind: 'dec_mpls_ttl' }
  /**
   * Where the TTL expires, the controllers with these ids get the packet; those with id 0 where
   * none are named.
   */
  | { readonly kind: 'dec_ttl'; readonly controllers?: readonly number[] };

export type TableAction =
  | { readonly kind: 'goto'; readonly table: number }
  /**
   * `table` is by default the current one; `port` stands for in_port during the lookup; with
   * `original`, the connection's first addresses for the packet's.
   */
  | {
      readonly kind: 'resubmit';
      readonly port?: number;
      readonly table?: number;
      readonly original: boolean;
    }
  | { readonly kind: 'clone'; readonly actions: readonly Action[] }
  | { readonly kind: 'exit' }
  | { readonly kind: 'write_metadata'; readonly value: bigint; readonly mask: bigint }
  | { readonly kind: 'write_actions'; readonly actions: readonly Action[] }
  | { readonly kind: 'clear_actions' }
  | { readonly kind: 'meter'; readonly meter: number }
  /** Clause `clause` of `clauses`, from 1. */
  | {
      readonly kind: 'conjunction';
      readonly id: number;
      readonly clause: number;
      readonly clauses: number;
    };

/** Sends the packet through the connection tracker; with `table`, it recirculates to there. */
export interface CtAction {
  readonly kind: 'ct';
  readonly commit: boolean;
  readonly force: boolean;
  readonly zone: number | Subfield;
  readonly table?: number;
  readonly alg?: 'ftp' | 'tftp';
  /** Sets of ct_mark and ct_label, and at most one `nat` that counts. */
  readonly exec: readonly Action[];
}

/**
 * Translates addresses as the connection says; with `to`, decides it for a new one. Only in `exec`
 * of ct.
 */
export interface NatAction {
  readonly kind: 'nat';
  readonly to?: {
    readonly part: 'src' | 'dst';
    readonly addresses?: {
      readonly version: 4 | 6;
      /** First and last; the same where there is one. */
      readonly first: bigint;
      readonly last: bigint;
    };
    readonly ports?: { readonly first: number; readonly last: number };
    readonly persistent: boolean;
    readonly portsBy?: 'hash' | 'random';
  };
}

/** Adds a flow to `table`, or changes it. Timeouts in seconds, 0 for none. */
export interface LearnAction {
  readonly kind: 'learn';
  readonly table: number;
  readonly idleTimeout: number;
  readonly hardTimeout: number;
  readonly finIdleTimeout: number;
  readonly finHardTimeout: number;
  readonly priority: number;
  readonly cookie: bigint;
  readonly sendFlowRemoved: boolean;
  readonly deleteLearned: boolean;
  /** Flows with this cookie in this table at most; 0 for no limit. */
  readonly limit: number;
  /** A bit that is set while the flow exists. */
  readonly result?: Subfield;
  readonly specs: readonly LearnSpec[];
}

/**
 * What the learned flow matches and does; a source is a constant, or bits of the packet at hand.
 */
export type LearnSpec =
  | {
      readonly kind: 'match' | 'load';
      readonly destination: Subfield;
      readonly source: Subfield | bigint;
    }
  | { readonly kind: 'output'; readonly source: Subfield };

export const hashFields = [
  'eth_src',
  'symmetric_l4',
  'symmetric_l3l4',
  'symmetric_l3l4+udp',
  'nw_src',
  'nw_dst',
  'symmetric_l3',
] as const;

export const bundleAlgorithms = ['active_backup', 'hrw'] as const;

export const multipathAlgorithms = ['modulo_n', 'hash_threshold', 'hrw', 'iter_hash'] as const;

export type ChoiceAction =
  /** Outputs to one of the members, or stores its number in `destination`. */
  | {
      readonly kind: 'bundle';
      readonly fields: (typeof hashFields)[number];
      readonly basis: number;
      readonly algorithm: (typeof bundleAlgorithms)[number];
      readonly members: readonly number[];
      readonly destination?: Subfield;
    }
  /** Stores a number below `links` in `destination`. */
  | {
      readonly kind: 'multipath';
      readonly fields: (typeof hashFields)[number];
      readonly basis: number;
      readonly algorithm: (typeof multipathAlgorithms)[number];
      readonly links: number;
      readonly argument: number;
      readonly destination: Subfield;
    };

export type OtherAction =
  /** Whether the packet is longer than `bytes`, as one bit. */
  | { readonly kind: 'check_pkt_larger'; readonly bytes: number; readonly destination: Subfield }
  | {
      readonly kind: 'sample';
      /** Of 65535. */
      readonly probability: number;
      readonly collectorSet: number;
      readonly domain: number | Subfield;
      readonly point: number | Subfield;
      readonly port?: number;
      readonly direction?: 'ingress' | 'egress';
    }
  /** Timeouts of this flow after a FIN or RST, in seconds, 0 to leave them. */
  | { readonly kind: 'fin_timeout'; readonly idle: number; readonly hard: number }
  | { readonly kind: 'note'; readonly bytes: readonly number[] }
  | { readonly kind: 'ct_clear' };

export type SetField = Extract<SetAction, { kind: 'set' }>;
