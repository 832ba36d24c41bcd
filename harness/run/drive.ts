import type { Observation } from '../nouns/observation.js';
import type { ClusterPlan } from '../nouns/plan.js';
import type { TestVector } from '../nouns/vector.js';
import { randomFor } from '../base/random.js';
import type { Draws } from '../fabric/host.js';
import { runStimulus } from '../fabric/fabric.js';
import type { Testbed } from '../testbeds/testbed.js';

const payloadBytes = 16;
/** The ephemeral ports of RFC 6335, section 6. */
const ephemeral = { first: 49152, last: 65535 } as const;

/** Plays one vector through a testbed: the fabric asks, the testbed answers, until nothing more happens. */
export async function drive(testbed: Testbed, plan: ClusterPlan, vector: TestVector, seed: number): Promise<Observation> {
  const fabric = runStimulus(plan, vector.stimulus, draw(seed, vector.id));
  let asked = fabric.next();
  while (asked.done !== true) asked = fabric.next(await testbed.call(asked.value));
  return asked.value;
}

/** What the sender puts into its frames, from the seed and the vector's id alone. */
function draw(seed: number, vectorId: string): Draws {
  const random = randomFor(seed, vectorId);
  return {
    identifier: random.integer(1, 0xffff),
    srcPort: random.integer(ephemeral.first, ephemeral.last),
    payload: Uint8Array.from({ length: payloadBytes }, () => random.integer(0, 0xff)),
  };
}
