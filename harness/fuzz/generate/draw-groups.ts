import type { Random } from '../../base/random.js';
import { packetKnowledgeOf } from '../../openflow/actions/packet-knowledge.js';
import type { Bucket, Group } from '../../openflow/groups/group.js';
import { portNumbers } from '../fuzz-network.js';
import { drawWritten } from './draw-actions.js';
import { chance, pick, times } from './weighted.js';
import type { Pool } from './draw-pool.js';

const mostGroups = 4;

/**
 * None as often as some. A group's buckets name those that came before it, so that none leads back
 * to itself.
 */
export function drawGroups(random: Random, pool: Pool): readonly Group[] {
  const count = chance(random, 50) ? 0 : random.integer(1, mostGroups);
  const ids = times(count, (index) => index + 1);
  return ids.map((id) => drawGroup(random, id, pool));
}

function drawGroup(random: Random, id: number, pool: Pool): Group {
  const type = pick(random, ['all', 'all', 'indirect', 'select', 'ff'] as const);
  const buckets = times(type === 'indirect' ? 1 : random.integer(1, 3), (index) =>
    drawBucket(random, index, type, id, pool),
  );
  const selection =
    type === 'select' && chance(random, 50)
      ? {
          selection: {
            method: pick(random, ['hash', 'dp_hash'] as const),
            parameter: 0n,
            fields: [],
          },
        }
      : {};
  return { id, type, ...selection, buckets };
}

function drawBucket(
  random: Random,
  index: number,
  type: Group['type'],
  group: number,
  pool: Pool,
): Bucket {
  const before = times(group - 1, (other) => other + 1);
  const actions = drawWritten(random, packetKnowledgeOf(pick(random, pool.kinds)), {
    pool,
    groups: before,
    depth: 0,
  });
  const watch =
    type !== 'ff'
      ? {}
      : chance(random, 20) && before.length > 0
        ? { watchGroup: pick(random, before) }
        : { watchPort: pick(random, [...portNumbers, 9]) };
  return {
    id: index,
    weight: type === 'select' ? pick(random, [1, 1, 2, 0]) : 0,
    ...watch,
    actions,
  };
}
