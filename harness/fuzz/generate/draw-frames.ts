/** Frames for flows: made from what they match, from one another, and at random. */
import type { Random } from '../../base/random.js';
import { Unsupported } from '../../base/errors/errors.js';
import { anyFrame, damaged } from '../../model/testkit/arbitrary-frame.js';
import { hasField } from '../../model/fields/has-field.js';
import { keyOf, writeField } from '../../model/fields/field-values.js';
import { compose } from '../../packet/compose/compose.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import { isMpls, keyWords, word } from '../../packet/flow-key/flow-key.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { rewrite } from '../../packet/flow-key/rewrite/rewrite.js';
import type { Match } from '../../openflow/match/match.js';
import type { PacketStep } from '../fuzz-case.js';
import { bridge, wiredPorts } from '../fuzz-network.js';
import { chance, pick, times, weighted } from './weighted.js';
import { drawBeside } from './draw-match.js';
import { drawValue, type Pool } from './draw-pool.js';

/** `matches` are those of the flows that packets meet first. */
export function drawFrames(
  random: Random,
  count: number,
  pool: Pool,
  matches: readonly Match[],
): readonly PacketStep[] {
  let port = drawPort(random);
  return times(count, () => {
    const frame = weighted<() => Uint8Array>(random, [
      [30, () => pick(random, pool.frames)],
      [30, () => sibling(random, pool, pick(random, pool.frames))],
      [25, () => matching(random, pool, pick(random, matches))],
      [8, () => anyFrame(random)],
      [7, () => damaged(random, pick(random, pool.frames))],
    ])();
    if (chance(random, 20)) port = drawPort(random);
    return { kind: 'packet', port, frame };
  });
}

/** Where most packets come in. */
export const frontPorts: readonly number[] = [1, 2, 3];
const portsBeside = [
  bridge,
  ...wiredPorts['one node'].filter((port) => !frontPorts.map(String).includes(port)),
];

/** One for several frames: those go in at once. */
function drawPort(random: Random): string {
  return chance(random, 8) ? pick(random, portsBeside) : String(pick(random, frontPorts));
}

/**
 * The same frame but for one field: what is cached for the one must not be taken for the other
 * where flows distinguish them.
 */
function sibling(random: Random, pool: Pool, frame: Uint8Array): Uint8Array {
  const before = new Uint32Array(keyWords);
  const layout = extract(frame, before);
  const rows = pool.packet.filter((row) => row.writable === 'anywhere' && hasField(before, row));
  if (rows.length === 0) return frame;
  const [after, row] = [before.slice(), pick(random, rows)];
  writeField(after, row, drawValue(random, pool, row), row.ones);
  try {
    return rewrite(frame, layout, before, after);
  } catch (error) {
    if (error instanceof Unsupported) return frame;
    throw error;
  }
}

/**
 * A frame as ovs-ofctl makes it of the match and of other fields of the pool. A label is the last
 * of its stack unless the match says otherwise.
 */
export function matching(random: Random, pool: Pool, match: Match): Uint8Array {
  const whole = drawBeside(random, pool, match, 6).filter(({ field }) => field.word >= word.ethSrc);
  const key = keyOf(whole);
  if (isMpls(key[word.ethType] ?? 0) && !whole.some(({ field }) => field.name === 'mpls_bos'))
    writeField(key, fieldCalled('mpls_bos'), 1n, 1n);
  return compose(key);
}
