import type { Observation } from '../domain/observation.js';
import type { Intent } from '../domain/intent.js';
import type { CacheLookups, PacketIn } from '../domain/switching.js';
import type { Trace } from '../model/trace/trace.js';
import type { Pass } from '../domain/test-vector.js';

/** What the controllers of one node were packetIns, after one call. */
export interface NodePacketIns {
  readonly node: string;
  readonly expected: readonly PacketIn[];
  readonly actual: readonly PacketIn[];
}

/** One pass as both sides saw it. */
export interface ComparedPass {
  readonly pass: Pass;
  readonly intent: Intent;
  readonly model: Observation;
  readonly real: Observation;
  /** What the real datapaths' caches were asked. */
  readonly lookups: CacheLookups;
  /** What the model's packets went through. */
  readonly traces: readonly Trace[];
  readonly packetIns: readonly NodePacketIns[];
}
