/** What decides over how the kernel's datapath differs: a packet's way, and questions about it. */
import type { Action } from '../openflow/actions/actions.js';
import { ctStateBits } from '../openflow/match/fields.js';
import { word, type FlowKey } from '../packet/flow-key/flow-key.js';

/** What is known of a packet's way. */
export interface DatapathPassage {
  readonly actions: readonly Action[];
  /** The packet as each translation began. */
  readonly starts: readonly FlowKey[];
  /** Whether a frame went into a tunnel, or came out of one. */
  readonly isTunnelled: boolean;
  /** Whether a select group chose a bucket for it. */
  readonly meetsSelectGroup: boolean;
  /** Whether it was dropped because it had been thawed too often. */
  readonly recirculatesTooOften: boolean;
  /** Why it went where it went, and why it is +inv. */
  readonly reasons: readonly string[];
  /** Bytes of the longest frame that came out. */
  readonly longestFrame: number;
  /** Whether time has passed since the switch began. */
  readonly isLater: boolean;
}

type Ct = Extract<Action, { readonly kind: 'ct' }>;
type Nat = Extract<Action, { readonly kind: 'nat' }>;

export function tracked({ actions }: DatapathPassage): readonly Ct[] {
  return actions.filter((action): action is Ct => action.kind === 'ct');
}

/** What new connections are translated to. */
export function translations(passage: DatapathPassage): readonly NonNullable<Nat['to']>[] {
  return tracked(passage)
    .filter(({ commit }) => commit)
    .flatMap(({ exec }) => exec.flatMap((action) => (action.kind === 'nat' ? [action] : [])))
    .flatMap(({ to }) => (to === undefined ? [] : [to]));
}

export function isInvalid(key: FlowKey): boolean {
  return ((key[word.ctState] ?? 0) & ctStateBits.inv) !== 0;
}

export function isTracked(key: FlowKey): boolean {
  return ((key[word.ctState] ?? 0) & ctStateBits.trk) !== 0;
}

/** Whether a tracked packet carries one of these protocols. */
export function carriesTracked(passage: DatapathPassage, ...protocols: readonly number[]): boolean {
  return (
    tracked(passage).length > 0 &&
    passage.starts.some((key) => protocols.includes(key[word.nwProto] ?? 0))
  );
}

export const protocols = { tcp: 6, dccp: 33, gre: 47, sctp: 132, udpLite: 136 } as const;
export const flags = { fin: 1, syn: 2, rst: 4 } as const;

export function isNewSegment(key: FlowKey, isWanted: (flags: number) => boolean): boolean {
  return (
    isTracked(key) &&
    ((key[word.ctState] ?? 0) & ctStateBits.new) !== 0 &&
    key[word.nwProto] === protocols.tcp &&
    isWanted(key[word.tcpFlags] ?? 0)
  );
}

/** With what a tunnel adds, more than most networks take. */
export const longForTunnels = 1400;

export function writesMark(action: Action): boolean {
  switch (action.kind) {
    case 'set':
      return action.field.name === 'pkt_mark';
    case 'move':
      return action.destination.field.name === 'pkt_mark';
    default:
      return false;
  }
}
