/** The trace hash of a scenario's point, from what is recorded of its vectors. */
import { sha256 } from '../../base/files/digest.js';
import { canonicalTrace } from '../../lockstep/canonical-trace.js';
import {
  readObservation,
  type RecordedOutcome,
  type RecordedPass,
  type VectorRecord,
} from './run-record.js';

/** @param vectors in the order of the report's. */
export function traceHashOf(vectors: readonly VectorRecord[]): string {
  return sha256(vectors.map(observedTraceOf).join('\n'));
}

/** What is hashed of one vector; empty where it could not be played. */
export function observedTraceOf({ vector: { id }, real, together }: VectorRecord): string {
  return real === undefined ? (together?.observed ?? '') : traceOf(id, real.passes, real);
}

/** What is hashed of one vector. */
export function traceOf(
  id: string,
  passes: readonly RecordedPass[],
  left: Pick<RecordedOutcome, 'counts' | 'state'> | undefined,
): string {
  return canonicalTrace(
    id,
    passes.map((recorded) => ({ pass: recorded.pass, real: readObservation(recorded) })),
    left ?? { counts: [], state: { connections: [], macs: [] } },
  );
}
