import type { Field } from '../../openflow/match/fields.js';
import type { Action } from '../../openflow/actions/actions.js';

/** What it sends back to the switch. */
export type ControllerAnswer =
  /** The packet continues where it waited, as this frame, with a field written. */
  | {
      readonly kind: 'resumed';
      readonly frame: Uint8Array;
      readonly result: { readonly field: Field; readonly value: bigint; readonly mask: bigint };
      /** Flows see that it was there: MLF_FROM_CTRL (OVN include/ovn/logical-fields.h). */
      readonly isMarked?: true;
    }
  /** Nothing: it has nothing to say about such a packet. */
  | { readonly kind: 'silence' }
  /** A packet of its own, which these actions are done to. */
  | { readonly kind: 'sent'; readonly frame: Uint8Array; readonly actions: readonly Action[] };
