import type { TestVector } from '../domain/test-vector.js';
import type { TimelineStep } from '../domain/timeline.js';
import type { Network } from '../kube/objects.js';

/** What is smaller from one try to the next. */
export interface ShrunkCase {
  readonly network: Network;
  readonly vector: TestVector;
  /** Of a timeline: its steps, up to the vector. */
  readonly steps?: readonly TimelineStep[];
}
