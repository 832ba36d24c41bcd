/** What is random in a vector's frames. */
import { randomFor } from '../base/random.js';
import type { VectorRandomness } from '../fabric/stack/host.js';

const payloadBytes = 16;
/** The ephemeral ports of RFC 6335, section 6. */
const ephemeral = { first: 49152, last: 65535 } as const;

/** What the sender puts into its frames, from the seed and the vector's id alone. */
export function drawsFor(seed: number, vectorId: string): VectorRandomness {
  const random = randomFor(seed, vectorId);
  return {
    identifier: random.integer(1, 0xffff),
    srcPort: random.integer(ephemeral.first, ephemeral.last),
    payload: Uint8Array.from({ length: payloadBytes }, () => random.integer(0, 0xff)),
    sequences: { opener: random.integer(0, 0xffffffff), answerer: random.integer(0, 0xffffffff) },
  };
}
