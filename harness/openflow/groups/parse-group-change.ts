/** Changes of groups, read as `ovs-ofctl add-groups` and `bundle` take them. */
import { canonical, noNames, type Names, type Protocol } from '../syntax/form.js';
import { complain, part, span } from '../syntax/text.js';
import type { GroupChange } from './group.js';
import { cutBuckets, readBucket } from './parse-bucket.js';
import { askedFor, readHead } from './parse-group.js';

/**
 * Reads one line of changes: `add group_id=1,…`, `insert_bucket
 * group_id=1,command_bucket_id=first,bucket=…`; `add` may be left out.
 */
export function parseGroupChange(
  text: string,
  names: Names = noNames,
  place = { file: 'group', line: 1 },
  protocol: Protocol = canonical.protocol,
): GroupChange {
  const whole = span(text, { ...place, column: 1 });
  const [, word = '', kind = 'add'] =
    /(\s*(add_or_mod|add|modify|delete|insert_bucket|remove_bucket)(?=[,\s]|$))?/.exec(text) ?? [];
  const rest = part(whole, word.length);
  switch (kind) {
    case 'delete':
      return { kind, id: rest.text === '' ? 'all' : readHead(rest, ['group_id'], names).id };
    case 'insert_bucket': {
      const [head, buckets] = cutBuckets(rest);
      const { id, place: where } = readHead(head, ['group_id', 'command_bucket_id'], names);
      if (where === undefined || where === 'all')
        throw complain(
          rest,
          'insert_bucket needs command_bucket_id=first, last or the id of a bucket',
        );
      if (id === 'all') throw complain(rest, 'insert_bucket changes one group');
      return {
        kind,
        id,
        place: where,
        buckets: buckets.map((bucket) => readBucket(bucket, undefined, names, protocol)),
      };
    }
    case 'remove_bucket': {
      const { id, place: where = 'all' } = readHead(rest, ['group_id', 'command_bucket_id'], names);
      if (id === 'all') throw complain(rest, 'remove_bucket changes one group');
      return { kind, id, place: where };
    }
    default:
      return {
        kind: kind as 'add' | 'modify' | 'add_or_mod',
        group: askedFor(rest, names, protocol),
      };
  }
}
