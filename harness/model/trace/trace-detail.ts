/**
 * What is recorded beside the steps of a trace where all details are asked for: copies of the
 * packet's key would cost others more than the packet.
 */
import type { Action } from '../../openflow/actions/actions.js';
import type { FlowKey } from '../../packet/flow-key/flow-key.js';

/** `after`: how many steps had been recorded before. */
export type Detail = {
  readonly after: number;
} /** A translation begins: the packet comes in at a bridge, or is thawed. */ & (
  | { readonly kind: 'begin'; readonly bridge: string; readonly key: FlowKey }
  /** A table is about to be looked up with this packet. */
  | { readonly kind: 'look'; readonly key: FlowKey }
  /** The flow that was found, with its actions as they are listed. */
  | { readonly kind: 'found'; readonly actions: readonly Action[] }
  /** An action is about to be executed. */
  | { readonly kind: 'action'; readonly action: Action }
  /** The flow that was found last, and not yet left, is done with. */
  | { readonly kind: 'leave' }
  /** Why something is as it is: a line for people. */
  | { readonly kind: 'remark'; readonly text: string }
  /** The translation is complete; the datapath has yet to do its part. */
  | { readonly kind: 'finish'; readonly key: FlowKey }
);
