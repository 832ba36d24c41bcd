/** Groups, printed as ovs-ofctl's `dump-groups` does. */
import { printActions } from '../actions/actions.js';
import { canonical, type Form } from '../syntax/form.js';
import { printPort } from '../syntax/ports.js';
import { printAssigned } from '../match/masked-values.js';
import type { Group, Selection, Bucket } from './group.js';

/**
 * As `ovs-ofctl -O VERSION dump-groups` prints it, or the canonical text, which ovs-ofctl reads.
 * OpenFlow 1.3 knows neither ids of buckets nor how a bucket is selected.
 */
export function printGroup(group: Group, dumped?: Form): string {
  const form = dumped ?? canonical;
  const isFull = form.protocol !== 'OpenFlow13';
  const selection =
    group.selection === undefined || !isFull ? '' : printSelection(group.selection, form);
  const buckets = group.buckets.map((bucket) => `,${printBucket(bucket, group.type, dumped)}`);
  return `group_id=${group.id},type=${group.type}${selection}${buckets.join('')}`;
}

function printSelection({ method, parameter, fields }: Selection, form: Form): string {
  const texts = fields.map(({ field, mask }) =>
    mask === field.ones
      ? field.name
      : `${field.name}=${printAssigned(field, { value: mask, mask: field.ones }, form)}`,
  );
  const list =
    texts.length === 0
      ? ''
      : texts.length === 1
        ? `,fields=${texts.join()}`
        : `,fields(${texts.join(',')})`;
  return (
    ',' +
    `selection_method=${method}${parameter === 0n ? '' : `,selection_method_param=${parameter}`}${list}`
  );
}

function printBucket(bucket: Bucket, type: Group['type'], dumped: Form | undefined): string {
  const parts = [
    dumped?.protocol === 'OpenFlow13' ? '' : `bucket_id:${bucket.id},`,
    bucket.weight === (type === 'select' ? 1 : 0) ? '' : `weight:${bucket.weight},`,
    bucket.watchPort === undefined
      ? ''
      : `watch_port:${printPort(bucket.watchPort, (dumped ?? canonical).ports)},`,
    bucket.watchGroup === undefined ? '' : `watch_group:${bucket.watchGroup},`,
  ];
  return `bucket=${parts.join('')}actions=${printActions(bucket.actions, dumped)}`;
}
