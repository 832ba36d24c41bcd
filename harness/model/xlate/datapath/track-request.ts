/** What a flow asks of the connection tracker. */
import type { FlowId } from '../../../domain/switching.js';
import type { Masked } from '../../../openflow/match/masked.js';
import type { CtRequest } from '../../conntrack/tracked.js';
import type { TraceStep } from '../../trace/trace.js';
import type { Frozen } from '../frozen.js';

/** What is asked of the tracker, and where the packet continues. */
export interface TrackRequest {
  readonly ctRequest: CtRequest;
  readonly marks: Marks;
  /** Where the packet continues; it ends where that is missing. */
  readonly frozen?: Omit<Frozen, 'packet'>;
  /** The flow that asks, and the steps that show what it has written. */
  readonly flow: FlowId;
  readonly writeSteps: readonly TraceStep[];
}

/** The bits of a connection's mark and label that a flow sets. */
export interface Marks {
  readonly mark: Masked;
  readonly label: Masked;
}
