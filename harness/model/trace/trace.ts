/** What the model did with one frame, step by step: it explains a divergence. */
import type { NearestFlow } from '../../domain/location.js';
import type { FlowId } from '../../domain/switching.js';

export type TraceStep =
  /**
   * A table was looked up, at that depth of resubmits. Where nothing matched, `flow` is missing,
   * and `nearest` are the flows that came closest.
   */
  | {
      readonly kind: 'lookup';
      readonly bridge: string;
      readonly table: number;
      readonly depth: number;
      readonly flow?: FlowId;
      readonly nearest?: readonly NearestFlow[];
    }
  /** A flow wrote a field; `value` of ct_state and ct_mark alone: what the tracker says. */
  | {
      readonly kind: 'write';
      readonly flow: FlowId;
      readonly field: string;
      readonly value?: number;
    }
  /** A flow sent the packet to a port; `by` names the field the port number came from, if any. */
  | { readonly kind: 'output'; readonly flow: FlowId; readonly port: string; readonly by?: string }
  /** A flow gave a copy of the packet to a bucket of a group. */
  | {
      readonly kind: 'group';
      readonly flow: FlowId;
      readonly group: number;
      readonly bucket: number;
    }
  /** A flow sent the packet through a patch port, in at the other end. */
  | {
      readonly kind: 'patch';
      readonly flow: FlowId;
      readonly bridge: string;
      readonly port: string;
    }
  /** The controllers with this connection id get it. */
  | {
      readonly kind: 'controller';
      readonly flow: FlowId;
      readonly controller: number;
      readonly reason: string;
    }
  /** The device of the bridge's LOCAL port answered what left through it; its answer came in. */
  | { readonly kind: 'answer'; readonly bridge: string }
  /** The packet ended here. */
  | { readonly kind: 'drop'; readonly flow?: FlowId; readonly why: string };

/** The steps that one frame into one node led to, in order. */
export interface Trace {
  readonly node: string;
  readonly port: string;
  /** The frame as it came in: the object that was given. */
  readonly frame?: Uint8Array;
  readonly steps: readonly TraceStep[];
}
