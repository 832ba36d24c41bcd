/** Tags and labels of a packet, of which FLOW has words for the first alone. */
import { etherTypes } from '../packet/protocols/link/ethernet.js';
import { most, tagged, word, type FlowKey } from '../packet/flow-key/flow-key.js';
import { complain, cut, part, parseNumber, split, type Span } from '../openflow/syntax/text.js';

export interface HeaderStack {
  /** From the outermost on. */
  readonly tags: readonly VlanTag[];
  /** Label stack entries as they stand in the packet, from the outermost on. */
  readonly labels: readonly number[];
}

export interface VlanTag {
  readonly type: number;
  readonly vid: number;
  readonly priority: number;
}

/** Writes all of them into a key. */
export function putHeaders(key: FlowKey, { tags, labels }: HeaderStack): void {
  for (const [index, { type, vid, priority }] of tags.entries()) {
    key[word.vlanTci + index] = tagged | (priority << 13) | vid;
    key[word.vlanTpid + index] = type;
  }
  for (const [index, label] of labels.entries()) key[word.mplsLse + index] = label;
}

/**
 * `vid=5,pcp=3`, and the Ethernet type before it. @param before how many tags there are already.
 * @throws InputError for what no tag has, and for one more than Open vSwitch reads.
 */
export function readTag(at: Span, before: number, type: Span | undefined): VlanTag {
  if (before === most.tags)
    throw complain(
      at,
      `Open vSwitch reads ${most.tags} VLAN tags: give packets with more by --packet`,
    );
  const values = readValues(at, 'vlan', { vid: 0xfffn, pcp: 7n, cfi: 1n });
  if (values.get('cfi') === 0)
    throw complain(at, 'cfi=0 of a datapath says that there is no tag: leave vlan(…) out');
  const number =
    type === undefined ? etherTypes.vlan : Number(parseNumber(type, 'eth_type', 0xffffn));
  if (number !== etherTypes.vlan && number !== etherTypes.serviceVlan)
    throw complain(type ?? at, 'a VLAN tag has eth_type(0x8100) or eth_type(0x88a8) before it');
  return { type: number, vid: values.get('vid') ?? 0, priority: values.get('pcp') ?? 0 };
}

/**
 * `label=60,tc=0,ttl=64,bos=0,label=50,…`. @throws InputError for what no label has, and for more
 * than Open vSwitch reads.
 */
export function readLabels(at: Span): readonly number[] {
  const starts = [...at.text.matchAll(/(?:^|,)\s*(?=label=)/g)].map(({ index }) => index);
  const pieces = starts[0] === 0 ? starts : [0, ...starts];
  if (pieces.length > most.labels)
    throw complain(
      at,
      `Open vSwitch reads ${most.labels} MPLS labels: give packets with more by --packet`,
    );
  const entries = pieces.map((start, index) => {
    const values = readValues(part(at, start, pieces[index + 1]), 'mpls', {
      label: 0xfffffn,
      tc: 7n,
      ttl: 0xffn,
      bos: 1n,
    });
    const value = (name: string) => values.get(name) ?? 0;
    return ((value('label') << 12) | (value('tc') << 9) | (value('bos') << 8) | value('ttl')) >>> 0;
  });
  return entries;
}

/** A part that is not given is zero, and a mask beside one does not count. */
function readValues(
  at: Span,
  key: string,
  highest: Readonly<Record<string, bigint>>,
): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const one of split(at, /[,\s]/)) {
    const [name, value] = cut(one, '=');
    const limit = highest[name.text];
    if (limit === undefined || value === undefined)
      throw complain(one, `unknown part "${one.text}" of ${key}`);
    if (values.has(name.text)) throw complain(one, `${name.text} of ${key} is given twice`);
    values.set(name.text, Number(parseNumber(cut(value, '/')[0], name.text, limit)));
  }
  return values;
}
