/** Vectors that may run as a batch, between two resets of the switches. */
import type { TestVector } from '../domain/test-vector.js';

/**
 * Marks vectors of which no two have the same ends, protocol and port, as all cells of one truth
 * table. Open vSwitch 3.1 tracks SCTP by addresses alone: there what one port is let through others
 * are as well, and the other way, so that of these only what is `coldPassOnly` runs as a batch,
 * port by port and way by way: the siblings of others would go where others go.
 */
export function batched(vectors: readonly TestVector[]): readonly TestVector[] {
  return vectors.map((vector) => {
    if (vector.stimulus.kind !== 'sctp') return { ...vector, together: 'all' };
    return vector.depth === 'cold'
      ? { ...vector, together: `sctp-${vector.stimulus.port} ${directionOf(vector.id)}` }
      : vector;
  });
}

/**
 * The same for so many that they would take minutes one by one: what switches remember is compared
 * behind very many of them then, not behind each.
 */
export function batchedIfMany(vectors: readonly TestVector[]): readonly TestVector[] {
  return vectors.length < batchThreshold ? vectors : batched(vectors);
}

const batchThreshold = 500;

/**
 * Of very many, as all cells of a truth table are, the slow path of each is judged, and nothing
 * else of it.
 */
export function coldPassOnly(vectors: readonly TestVector[]): readonly TestVector[] {
  return vectors.map((vector) => ({ ...vector, depth: 'cold' }));
}

/** Of two vectors between the same two one goes there and one back. */
function directionOf(id: string): 'there' | 'back' {
  const [, from = '', to = ''] = id.split('/');
  return from < to ? 'there' : 'back';
}
