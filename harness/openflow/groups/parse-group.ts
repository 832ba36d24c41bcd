/** Groups, read as ovs-ofctl(8) writes and reads them ("Group Syntax"). */
import { InputError } from '../../base/errors/errors.js';
import { splitActions, small, uint64 } from '../actions/parse-context.js';
import { lastGroup } from '../actions/kinds/output-actions.js';
import { canonical, noNames, type Names, type Protocol } from '../syntax/form.js';
import { complain, parseNumber, shorten, span, type Span } from '../syntax/text.js';
import { type Group, groupTypes, type Selection, selectionMethods, lastBucket } from './group.js';
import { readFields } from './selection-fields.js';
import { cutBuckets, type BucketText, readBucket, checkBucket, numbered } from './parse-bucket.js';

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
 * Reads one group as `dump-groups` prints it: the switch takes any bucket that is inserted, also
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
  const lines = wholeLines(text);
  const parse = lines.some((line) => dumpTitle.test(line)) ? parseDumpedGroup : parseGroup;
  const lineOf = new Map<number, number>();
  return lines.flatMap((line, index) => {
    if (isNoGroup(line)) return [];
    const place = { file, line: index + 1 };
    const group = parse(line, names, place);
    const before = lineOf.get(group.id);
    if (before !== undefined)
      throw new InputError(`group ${group.id} is there twice: line ${before} has it too`, place);
    lineOf.set(group.id, index + 1);
    return [group];
  });
}

/** Each line in its place, with those behind it that a backslash joins to it. */
function wholeLines(text: string): readonly string[] {
  const lines = text.split('\n');
  for (let index = lines.length - 1; index > 0; index--) {
    const before = lines[index - 1] ?? '';
    if (!/\\\s*$/.test(before) || /^\s*#/.test(before)) continue;
    lines[index - 1] = before.replace(/\\\s*$/, '') + (lines[index] ?? '').trimStart();
    lines[index] = '';
  }
  return lines;
}

/** The lines of such a file that are groups, as they stand there. */
export function groupLines(text: string): readonly string[] {
  return wholeLines(text).flatMap((line) => (isNoGroup(line) ? [] : [line.trim()]));
}

function isNoGroup(line: string): boolean {
  return /^\s*(#|$)/.test(line) || dumpTitle.test(line);
}

export function askedFor(whole: Span, names: Names, protocol: Protocol): Group {
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
export function readHead(head: Span, known: readonly string[], names: Names): Head {
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
