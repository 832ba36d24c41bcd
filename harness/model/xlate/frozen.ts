/**
 * A frozen translation: everything that it needs to go on (Open vSwitch
 * ofproto/ofproto-dpif-rid.h, struct frozen_state).
 */
import type { FlowId } from '../../domain/switching.js';
import type { Action, ControllerAction } from '../../openflow/actions/actions.js';
import type { ModelBridge } from '../model-bridge.js';
import type { Packet } from '../packet/packet.js';

/** Where an action stands: for packet-ins, and for steps of the trace. */
export interface ActionOrigin {
  readonly table: number;
  readonly cookie: bigint;
  readonly flow: FlowId | undefined;
  /**
   * Of its controllers: those of flows are looked up, those of what a controller lets go on are not
   * (ofproto/ofproto.c, ofproto_check_ofpacts).
   */
  readonly meters: 'looked up' | 'not looked up';
}

export interface FrozenAction {
  readonly action: Action;
  readonly origin: ActionOrigin;
}

/** Why a translation is frozen, to continue later with what is left to do. */
export type FreezeReason =
  /** The packet is reparsed: what stands behind the labels. */
  | { readonly kind: 'reread' }
  /** The datapath hashes the packet first. */
  | { readonly kind: 'hash'; readonly algorithm: 'L4' | 'symmetric L4'; readonly basis: number }
  /** A controller resumes it. */
  | { readonly kind: 'pause'; readonly action: ControllerAction; readonly origin: ActionOrigin };

/** Everything that a translation needs to go on. */
export interface Frozen {
  readonly bridge: ModelBridge;
  /** Looked up where no actions are left. */
  readonly table: number;
  readonly packet: Packet;
  readonly actions: readonly FrozenAction[];
  /** Of the flow that it continues in until an action finds its place again, where one is given. */
  readonly cookie?: bigint;
  readonly stack: readonly StackItem[];
  /** The mirrors that have had it. */
  readonly mirrored: number;
}

export interface StackItem {
  readonly value: bigint;
  bytes: number;
}
