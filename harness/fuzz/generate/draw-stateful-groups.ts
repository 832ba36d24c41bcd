/**
 * Groups that connections go through: buckets that translate, go on in another table, and watch
 * ports and groups. As texts.
 */
import type { Random } from '../../base/random.js';
import { chance, pick, times, weighted } from './weighted.js';
import {
  commitIn,
  output,
  tables,
  type StatefulContext,
  type KnownGroup,
} from './draw-stateful-flows.js';
import type { Family } from './conversation.js';

const mostGroups = 3;

/** Each is for packets of one family, whose addresses its buckets translate to. */
export function drawStatefulGroups(random: Random): readonly KnownGroup[] {
  const count = chance(random, 25) ? 0 : random.integer(1, mostGroups);
  return times(count, (index) => ({ id: index + 1, family: index === 1 ? 'ipv6' : 'ipv4' }));
}

/** Those that its buckets may watch have lower numbers. */
export function drawStatefulGroup(
  random: Random,
  { id, family }: KnownGroup,
  around: StatefulContext,
): string {
  const type = pick(random, ['select', 'select', 'select', 'ff', 'all'] as const);
  const buckets = times(random.integer(1, 4), (index) =>
    drawBucket(random, index, type, { id, family }, around),
  );
  return (
    `group_id=${id},` +
    `type=${type}${type === 'select' ? selection(random, family) : ''}${buckets.map((bucket) => `,bucket=${bucket}`).join('')}`
  );
}

function selection(random: Random, family: Family): string {
  const addresses = family === 'ipv4' ? ['ip_src', 'ip_dst'] : ['ipv6_src', 'ipv6_dst'];
  const fields = pick(random, [
    addresses,
    addresses.slice(0, 1),
    [...addresses, 'tcp_src'],
    ['udp_dst', ...addresses],
    [],
  ]);
  return pick(random, [
    '',
    '',
    ',selection_method=dp_hash',
    `,selection_method=dp_hash,selection_method_param=${pick(random, [7, 0x1_0000_0003])}`,
    ',' +
      `selection_method=hash${pick(random, ['', ',selection_method_param=5'])}${fields.length === 0 ? '' : `,fields(${fields.join(',')})`}`,
  ]);
}

export function drawBucket(
  random: Random,
  index: number,
  type: 'select' | 'ff' | 'all',
  { id, family }: KnownGroup,
  around: StatefulContext,
): string {
  const lower = times(id - 1, (other) => other + 1);
  const watched =
    lower.length > 0 && chance(random, 30)
      ? `watch_group:${pick(random, lower)}`
      : `watch_port:${pick(random, [1, 2, 3, 4, 9])}`;
  const watches = type === 'ff' || (type === 'select' && chance(random, 20)) ? [watched] : [];
  return [
    `bucket_id:${index}`,
    ...(type === 'select' ? [`weight:${pick(random, [1, 1, 2, 5, 0])}`] : []),
    ...watches,
    bucketActions(random, family, around),
  ].join(',');
}

function bucketActions(random: Random, family: Family, around: StatefulContext): string {
  return weighted<() => string>(random, [
    [4, () => output(random, around)],
    [3, () => commitIn(random, family, tables.last)],
    [2, () => `resubmit(,${tables.again})`],
    [
      1,
      () =>
        `set_field:${pick(random, ['0a:00:00:00:00:07', '0a:00:00:00:00:08'])}->eth_dst,` +
        output(random, around),
    ],
    [1, () => `resubmit(,${tables.learned})`],
    [1, () => `dec_ttl,${output(random, around)}`],
  ])();
}
