import type { Field } from '../../openflow/match/fields.js';
import type { Action } from '../../openflow/actions/actions.js';

/** The packet continues where it waited, as this frame, with a field written. */
export interface Resumed {
  readonly kind: 'resumed';
  readonly frame: Uint8Array;
  readonly result: { readonly field: Field; readonly value: bigint; readonly mask: bigint };
  /** Flows see that it was there: MLF_FROM_CTRL (OVN include/ovn/logical-fields.h). */
  readonly isMarked?: true;
}

/** What it sends back to the switch. */
export type ControllerAnswer =
  | Resumed
  /** Nothing: it has nothing to say about such a packet. */
  | { readonly kind: 'silence' }
  /** A packet of its own, which these actions are done to. */
  | { readonly kind: 'sent'; readonly frame: Uint8Array; readonly actions: readonly Action[] };

/** The reply in the place of the packet, with the bit `result`; without one, as it was. */
export function resumed(
  packet: Uint8Array,
  reply: Uint8Array | undefined,
  result: Pick<Resumed['result'], 'field' | 'mask'>,
): Resumed {
  const value = reply === undefined ? 0n : result.mask;
  return { kind: 'resumed', frame: reply ?? packet, result: { ...result, value } };
}
