/**
 * Groups: read as ovs-ofctl(8) writes and reads them ("Group Syntax"), printed as `dump-groups`
 * does.
 */
import { parseBucketActions, printActions, type Action } from './actions/actions.js';
import {
  splitActions,
  fieldNamed,
  small,
  uint16,
  uint64,
  type ActionText,
} from './actions/parse-context.js';
import { lastGroup } from './actions/kinds/output-actions.js';
import type { Field } from './match/fields.js';
import { canonical, noNames, type Form, type Names, type Protocol } from './syntax/form.js';
import { parsePort, printPort, reservedPorts } from './syntax/ports.js';
import { complain, parseNumber, part, shorten, span, type Span } from './syntax/text.js';
import { parseMasked, printAssigned } from './match/masked-values.js';

export interface Group {
  readonly id: number;
  /** Every bucket, one by its weight, the only one, or the first that is alive. */
  readonly type: (typeof groupTypes)[number];
  /** How a `select` group chooses; Open vSwitch decides where it is missing. */
  readonly selection?: Selection;
  readonly buckets: readonly Bucket[];
}

const groupTypes = ['all', 'select', 'indirect', 'ff'] as const;

export interface Selection {
  readonly method: (typeof selectionMethods)[number];
  readonly parameter: bigint;
  /** The bits that are hashed; the default ones where none are named. */
  readonly fields: readonly { readonly field: Field; readonly mask: bigint }[];
}

const selectionMethods = ['hash', 'dp_hash'] as const;

export interface Bucket {
  readonly id: number;
  /** Of a `select` group; 0 in the others. */
  readonly weight: number;
  /** The bucket is alive while this port is up, and while this group has a live bucket. */
  readonly watchPort?: number;
  readonly watchGroup?: number;
  readonly actions: readonly Action[];
}

/**
 * What a line for `ovs-ofctl add-groups` or `bundle` asks for. Buckets that are inserted get ids
 * that are free where they have none.
 */
export type GroupChange =
  | { readonly kind: 'add' | 'modify' | 'add_or_mod'; readonly group: Group }
  | { readonly kind: 'delete'; readonly id: number | 'all' }
  | {
      readonly kind: 'insert_bucket';
      readonly id: number;
      readonly place: 'first' | 'last' | number;
      readonly buckets: readonly (Omit<Bucket, 'id'> & { readonly id?: number })[];
    }
  | {
      readonly kind: 'remove_bucket';
      readonly id: number;
      readonly place: 'first' | 'last' | 'all' | number;
    };

/** Buckets have ids up to this one (OpenFlow 1.5, "Group Modification Message"). */
const lastBucket = 0xffffff00n;

/**
 * Reads one group: `group_id=1,type=select,bucket=weight:5,actions=output:1,bucket=…`.
 * @throws InputError with file, line and column, for everything that ovs-ofctl or the switch
 *   refuse, but for groups and meters that are not there.
 */
export function parseGroup(
  text: string,
  names: Names = noNames,
  place = { file: 'group', line: 1 },
  protocol: Protocol = canonical.protocol,
): Group {
  return askedFor(span(text, { ...place, column: 1 }), names, protocol);
}

/**
 * Reads one group as `dump-groups` tells it: the switch takes any bucket that is inserted, also
 * those that ovs-ofctl refuses in a group that is added. @throws InputError as `parseGroup`.
 */
export function parseDumpedGroup(
  text: string,
  names: Names,
  place: { readonly file: string; readonly line: number },
): Group {
  return readGroup(span(text, { ...place, column: 1 }), names, canonical.protocol);
}

const dumpTitle = /^(OFPST|NXST)_GROUP_DESC reply/;

/**
 * Reads a file of groups, one a line, or the output of `dump-groups`; blank lines, lines that begin
 * with # and the dump's title are left out.
 */
export function parseGroups(text: string, file: string, names: Names = noNames): readonly Group[] {
  const lines = text.split('\n');
  const parse = lines.some((line) => dumpTitle.test(line)) ? parseDumpedGroup : parseGroup;
  return lines.flatMap((line, index) =>
    /^\s*(#|$)/.test(line) || dumpTitle.test(line)
      ? []
      : [parse(line, names, { file, line: index + 1 })],
  );
}

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

function askedFor(whole: Span, names: Names, protocol: Protocol): Group {
  return readGroup(whole, names, protocol, checkBucket);
}

function readGroup(
  whole: Span,
  names: Names,
  protocol: Protocol,
  check: (at: Span, type: Group['type'], bucket: BucketText) => void = () => undefined,
): Group {
  const [head, texts] = cutBuckets(whole);
  const { id, type, selection } = readHead(
    head,
    ['group_id', 'type', 'selection_method', 'selection_method_param', 'fields'],
    names,
  );
  if (id === 'all') throw complain(head, 'a group has a number');
  if (type === undefined) throw complain(head, `a group needs a type: ${groupTypes.join(', ')}`);
  if (type === 'indirect' && texts.length !== 1)
    throw complain(whole, `an indirect group has one bucket, got ${texts.length}`);
  const read = texts.map((text) => readBucket(text, type, names, protocol));
  for (const [index, bucket] of read.entries()) check(texts[index]!, type, bucket);
  const buckets = numbered(texts, read, protocol);
  if (selection === undefined || protocol === 'OpenFlow13') return { id, type, buckets };
  if (type !== 'select') throw complain(head, 'selection_method is for groups of type select');
  return { id, type, selection, buckets };
}

interface Head {
  readonly id: number | 'all';
  readonly type?: Group['type'];
  readonly selection?: Selection;
  readonly place?: 'first' | 'last' | 'all' | number;
}

/** What stands before the buckets. */
function readHead(head: Span, known: readonly string[], names: Names): Head {
  let found: Partial<Head> = {};
  let method: Selection['method'] | undefined;
  let parameter = 0n;
  let fields: Selection['fields'] = [];
  for (const { name, at, argument } of splitActions(head)) {
    if (!known.includes(name))
      throw complain(at, `expected ${known.join(', ')} or bucket=, got "${shorten(name)}"`);
    if (name === 'group_id')
      found = { ...found, id: argument.text === 'all' ? 'all' : small(argument, name, lastGroup) };
    else if (name === 'type')
      found = {
        ...found,
        type: argument.text === 'fast_failover' ? 'ff' : exactly(argument, name, groupTypes),
      };
    else if (name === 'command_bucket_id') found = { ...found, place: readPlace(argument) };
    else if (name === 'selection_method')
      method = argument.text === '' ? undefined : exactly(argument, name, selectionMethods);
    else if (name === 'selection_method_param') parameter = parseNumber(argument, name, uint64);
    else fields = readFields(argument, names);
  }
  if (found.id === undefined) throw complain(head, 'expected group_id=');
  if (fields.length > 0 && method !== 'hash')
    throw complain(head, 'fields are for selection_method=hash');
  if (parameter !== 0n && method === undefined)
    throw complain(head, 'selection_method_param is for a selection_method');
  return {
    ...found,
    id: found.id,
    ...(method === undefined ? {} : { selection: { method, parameter, fields } }),
  };
}

function exactly<Word extends string>(at: Span, what: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === at.text);
  if (found === undefined)
    throw complain(at, `${what}: expected one of ${words.join(', ')}, got "${shorten(at.text)}"`);
  return found;
}

function readPlace(at: Span): NonNullable<Head['place']> {
  return at.text === 'first' || at.text === 'last' || at.text === 'all'
    ? at.text
    : small(at, 'command_bucket_id', lastBucket);
}

/** `fields=FIELD`, `fields(FIELD,FIELD=MASK…)` */
function readFields(list: Span, names: Names): Selection['fields'] {
  const found = new Map<Field, bigint>();
  for (const { name, at, argument } of splitActions(list)) {
    const field = fieldNamed(at, name);
    if (found.has(field)) throw complain(at, `${field.name} is named twice`);
    const mask =
      argument.text === '' ? field.ones : parseMasked(field, argument, names.ports).value;
    if (mask === 0n || (mask !== field.ones && !field.maskable))
      throw complain(argument, `${field.name} cannot be hashed with the mask ${argument.text}`);
    found.set(field, mask);
  }
  return [...found]
    .map(([field, mask]) => ({ field, mask }))
    .sort((a, b) => fieldOrder(a.field) - fieldOrder(b.field));
}

/** The head, and what stands behind each `bucket=`. */
function cutBuckets(whole: Span): readonly [head: Span, buckets: readonly Span[]] {
  const starts = [...whole.text.matchAll(/bucket=/g)].map(({ index }) => index);
  const ends = [...starts.slice(1), whole.text.length];
  return [
    part(whole, 0, starts[0]),
    starts.map((start, index) => part(whole, start + 'bucket='.length, ends[index])),
  ];
}

type BucketText = Omit<Bucket, 'id'> & { readonly id?: number };

/** A bucket of a group of `type`, which is not known where one is inserted. */
function readBucket(
  whole: Span,
  type: Group['type'] | undefined,
  names: Names,
  protocol: Protocol,
): BucketText {
  let bucket: Omit<BucketText, 'actions'> = { weight: type === 'select' ? 1 : 0 };
  const actions: ActionText[] = [];
  for (const call of splitActions(whole)) {
    const { argument } = call;
    switch (call.name.toLowerCase()) {
      case 'weight':
        bucket = { ...bucket, weight: small(argument, 'weight', uint16) };
        break;
      case 'watch_port':
        bucket = withWatchPort(bucket, argument, names);
        break;
      case 'watch_group':
        bucket = { ...bucket, watchGroup: small(argument, 'watch_group', lastGroup) };
        break;
      case 'bucket_id':
        bucket = { ...bucket, id: small(argument, 'bucket_id', lastBucket) };
        break;
      case 'action':
      case 'actions':
        actions.push(
          ...splitActions(argument.text === '' ? { ...argument, text: 'drop' } : argument),
        );
        break;
      default:
        if (argument.text.includes(')->'))
          throw complain(call.at, `${call.name} stands behind actions= in a bucket`);
        actions.push(call);
    }
  }
  if (actions.length === 0) throw complain(whole, 'a bucket needs actions');
  return { ...bucket, actions: parseBucketActions(whole, actions, names, protocol) };
}

/** What buckets of a group of `type` must have, and must not. */
function checkBucket(
  at: Span,
  type: Group['type'],
  { weight, watchPort, watchGroup }: BucketText,
): void {
  const isWatched = watchPort !== undefined || watchGroup !== undefined;
  if (type === 'ff' && !isWatched)
    throw complain(at, 'a bucket of a fast failover group needs watch_port or watch_group');
  if ((type === 'all' || type === 'indirect') && isWatched)
    throw complain(at, 'watch_port and watch_group are for groups of type ff or select');
  if (type !== 'select' && weight !== 0)
    throw complain(at, 'weights are for groups of type select');
}

function withWatchPort<Text extends Omit<BucketText, 'actions'>>(
  bucket: Text,
  at: Span,
  names: Names,
): Text {
  const number = parsePort(at, names.ports);
  if (number === reservedPorts.ANY) return bucket;
  if (number >= reservedPorts.UNSET && number !== reservedPorts.CONTROLLER)
    throw complain(at, `watch_port: "${at.text}" is no port that can be up or down`);
  return { ...bucket, watchPort: number };
}

/** Buckets without an id get the lowest that is free; before OpenFlow 1.5 messages have none. */
function numbered(
  texts: readonly Span[],
  buckets: readonly BucketText[],
  protocol: Protocol,
): readonly Bucket[] {
  const hasIds = protocol !== 'OpenFlow13';
  const taken = new Set<number>();
  for (const [index, { id }] of buckets.entries()) {
    if (!hasIds || id === undefined) continue;
    if (taken.has(id)) throw complain(texts[index] ?? texts[0]!, `two buckets have the id ${id}`);
    taken.add(id);
  }
  let next = 0;
  return buckets.map((bucket) => {
    if (hasIds && bucket.id !== undefined) return { ...bucket, id: bucket.id };
    while (taken.has(next)) next++;
    return { ...bucket, id: next++ };
  });
}

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

/** Open vSwitch keeps fields in an order of its own, that of its meta-flow.h. */
const orderOfFields: readonly string[] = [
  'dp_hash',
  'recirc_id',
  'packet_type',
  'conj_id',
  'tun_id',
  'tun_src',
  'tun_dst',
  'tun_ipv6_src',
  'tun_ipv6_dst',
  'tun_flags',
  'tun_gbp_id',
  'tun_gbp_flags',
  'tun_erspan_idx',
  'tun_erspan_ver',
  'tun_erspan_dir',
  'tun_erspan_hwid',
  'tun_gtpu_flags',
  'tun_gtpu_msgtype',
  ...Array.from({ length: 64 }, (_, n) => `tun_metadata${n}`),
  'metadata',
  'in_port',
  'in_port_oxm',
  'actset_output',
  'pkt_mark',
  'ct_state',
  'ct_zone',
  'ct_mark',
  'ct_label',
  'ct_nw_proto',
  'ct_nw_src',
  'ct_nw_dst',
  'ct_ipv6_src',
  'ct_ipv6_dst',
  'ct_tp_src',
  'ct_tp_dst',
  ...Array.from({ length: 32 }, (_, n) => `reg${n}`),
  ...Array.from({ length: 16 }, (_, n) => `xreg${n}`),
  ...Array.from({ length: 8 }, (_, n) => `xxreg${n}`),
  'eth_src',
  'eth_dst',
  'eth_type',
  'vlan_tci',
  'vlan_vid',
  'vlan_pcp',
  'mpls_label',
  'mpls_tc',
  'mpls_bos',
  'mpls_ttl',
  'ip_src',
  'ip_dst',
  'ipv6_src',
  'ipv6_dst',
  'ipv6_label',
  'nw_proto',
  'nw_tos',
  'ip_dscp',
  'nw_ecn',
  'nw_ttl',
  'ip_frag',
  'arp_op',
  'arp_spa',
  'arp_tpa',
  'arp_sha',
  'arp_tha',
  'tcp_src',
  'tcp_dst',
  'tcp_flags',
  'udp_src',
  'udp_dst',
  'sctp_src',
  'sctp_dst',
  'icmp_type',
  'icmp_code',
  'icmpv6_type',
  'icmpv6_code',
  'nd_target',
  'nd_sll',
  'nd_tll',
  'nd_reserved',
  'nd_options_type',
];

function fieldOrder({ name }: Field): number {
  return orderOfFields.indexOf(name);
}
