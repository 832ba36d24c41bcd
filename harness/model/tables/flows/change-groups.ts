/** Changes of groups (OpenFlow 1.5, section 7.3.4.3; ovs-ofctl(8), "Group Syntax"). */
import { assertNever, InputError } from '../../../base/errors/errors.js';
import type { Bucket, Group, GroupChange } from '../../../openflow/groups/group.js';
import { rulesOf } from '../flow-tables.js';
import { groupWithOptionFields, type ModelGroup } from '../../model-bridge.js';
import { deleteRule, recordEdit, type FlowTransaction } from './edit-flows.js';
import { usesGroup } from './matches-request.js';

/** @throws InputError for a group that is there already, or is not there; for a bucket likewise. */
export function changeGroups(changing: FlowTransaction, change: GroupChange): void {
  const { groups, options } = changing.bridge;
  switch (change.kind) {
    case 'add':
      if (groups.has(change.group.id))
        throw new InputError(`group ${change.group.id} is there already`);
      return storeGroup(changing, groupWithOptionFields(change.group, options));
    case 'modify':
      existing(changing, change.group.id);
      return storeGroup(changing, groupWithOptionFields(change.group, options));
    case 'add_or_mod':
      return storeGroup(changing, groupWithOptionFields(change.group, options));
    case 'delete':
      return remove(changing, change.id);
    case 'insert_bucket': {
      const group = existing(changing, change.id);
      const after = groupWithOptionFields(
        { ...group, buckets: withBuckets(group, change) },
        options,
      );
      return storeGroup(changing, {
        ...after,
        inserted: after.buckets.filter(({ id }) => !group.buckets.some((old) => old.id === id)),
      });
    }
    case 'remove_bucket': {
      const group = existing(changing, change.id);
      return storeGroup(changing, {
        ...group,
        buckets: withoutBucket(group, change.place),
        inserted: [],
      });
    }
    default:
      assertNever(change);
  }
}

function existing({ bridge }: FlowTransaction, id: number): ModelGroup {
  const group = bridge.groups.get(id);
  if (group === undefined) throw new InputError(`there is no group ${id}`);
  return group;
}

function storeGroup({ bridge, undo }: FlowTransaction, group: ModelGroup): void {
  const before = bridge.groups.get(group.id);
  bridge.groups.set(group.id, group);
  bridge.isUnchanged = false;
  undo.push(
    () =>
      void (before === undefined
        ? bridge.groups.delete(group.id)
        : bridge.groups.set(group.id, before)),
  );
}

/**
 * With it go the flows that send packets there. Without a group of that number there is nothing to
 * do.
 */
function remove(changing: FlowTransaction, id: number | 'all'): void {
  const { bridge, undo } = changing;
  const gone = [...bridge.groups.values()].filter((group) => id === 'all' || group.id === id);
  for (const group of gone) {
    for (const rule of rulesOf(bridge.tables).filter(({ flow }) => usesGroup(flow, group.id)))
      recordEdit(changing, deleteRule(bridge, rule));
    bridge.groups.delete(group.id);
    bridge.isUnchanged = false;
    undo.push(() => void bridge.groups.set(group.id, group));
  }
}

/**
 * Buckets without an id get the lowest that none beside them has, whatever ids the group has
 * already. @throws InputError for one that it has.
 */
function withBuckets(
  { id, buckets }: Group,
  { place, buckets: given }: Extract<GroupChange, { readonly kind: 'insert_bucket' }>,
): readonly Bucket[] {
  const taken = new Set(given.flatMap((bucket) => bucket.id ?? []));
  let next = 0;
  const numbered = given.map((bucket) => {
    while (bucket.id === undefined && taken.has(next)) next++;
    return { ...bucket, id: bucket.id ?? next++ };
  });
  const twice = numbered.find((bucket) => buckets.some((other) => other.id === bucket.id));
  if (twice !== undefined) throw new InputError(`group ${id} has a bucket ${twice.id} already`);
  const at =
    place === 'first' ? 0 : place === 'last' ? buckets.length : indexOf(buckets, id, place) + 1;
  return [...buckets.slice(0, at), ...numbered, ...buckets.slice(at)];
}

function withoutBucket(
  { id, buckets }: Group,
  place: 'first' | 'last' | 'all' | number,
): readonly Bucket[] {
  if (place === 'all') return [];
  if (place === 'first') return buckets.slice(1);
  if (place === 'last') return buckets.slice(0, -1);
  return buckets.toSpliced(indexOf(buckets, id, place), 1);
}

function indexOf(buckets: readonly Bucket[], group: number, id: number): number {
  const index = buckets.findIndex((bucket) => bucket.id === id);
  if (index < 0) throw new InputError(`group ${group} has no bucket ${id}`);
  return index;
}
