/** Notations that one field has for itself: fragments, packet types, VLAN tags (ovs-fields(7)). */
import { assert } from '../../base/errors/errors.js';
import type { Protocol } from '../syntax/form.js';
import { complain, parseNumber, part, shorten, type Span } from '../syntax/text.js';
import type { Masked } from './masked.js';

/** The words of nw_frag with the bits they stand for (ovs-fields(7), "IPv4 fragment"). */
const fragments: Readonly<Record<string, Masked>> = {
  no: { value: 0n, mask: 3n },
  yes: { value: 1n, mask: 1n },
  first: { value: 1n, mask: 3n },
  later: { value: 3n, mask: 3n },
  not_later: { value: 0n, mask: 2n },
};

export function parseFragment(at: Span): Masked {
  const known = Object.hasOwn(fragments, at.text) ? fragments[at.text] : undefined;
  if (known === undefined)
    throw complain(
      at,
      `nw_frag: expected one of ${Object.keys(fragments).join(', ')}, got "${shorten(at.text)}"`,
    );
  return known;
}

export function printFragment({ value, mask }: Masked): string {
  const word = Object.entries(fragments).find(
    ([, known]) => known.value === value && known.mask === mask,
  )?.[0];
  assert(word !== undefined, `no word for the fragments ${value}/${mask}`);
  return word;
}

/** `(NAMESPACE,TYPE)` as one number of twice 16 bits. */
export function parsePacketType(at: Span): bigint {
  const [, namespace = '', type = ''] =
    /^(\(\s*[0-9a-fx]+\s*),(\s*[0-9a-fx]+\s*)\)$/i.exec(at.text) ?? [];
  if (namespace === '')
    throw complain(
      at,
      `packet_type: expected (NAMESPACE,TYPE) such as (1,0x800), got "${shorten(at.text)}"`,
    );
  const comma = namespace.length;
  return (
    (parseNumber(part(at, 1, comma), 'packet_type', 0xffffn) << 16n) |
    parseNumber(part(at, comma + 1, comma + 1 + type.length), 'packet_type', 0xffffn)
  );
}

/** Numbers of one digit are printed in decimal. */
export function printPacketType(value: bigint): string {
  const print = (number: bigint) => (number < 10n ? String(number) : `0x${number.toString(16)}`);
  return `(${print(value >> 16n)},${print(value & 0xffffn)})`;
}

/**
 * The tag control information: priority, the bit that says "there is a tag", and VLAN
 * (ovs-fields(7), "VLAN").
 */
export const tag = {
  pcp: 0xe000n,
  pcpShift: 13n,
  present: 0x1000n,
  vid: 0x0fffn,
  all: 0xffffn,
} as const;

/**
 * What `NAME=VALUE` asks of the tag, where NAME is dl_vlan, vlan_vid, dl_vlan_pcp or vlan_pcp.
 * @throws InputError for other values than it can have.
 */
export function parseTagPart(name: string, { value, mask }: Masked): Masked {
  switch (name) {
    case 'dl_vlan':
      return value === noTag
        ? { value: 0n, mask: tag.all }
        : { value: (value & tag.vid) | tag.present, mask: tag.vid | tag.present };
    case 'vlan_vid':
      return { value, mask };
    default:
      return { value: (value << tag.pcpShift) | tag.present, mask: tag.pcp | tag.present };
  }
}

/** The value of dl_vlan that asks for packets without a tag. */
const noTag = 0xffffn;

/** The largest value of each of them. */
export const tagParts: Readonly<Record<string, bigint>> = {
  dl_vlan: noTag,
  vlan_vid: tag.vid | tag.present,
  dl_vlan_pcp: 7n,
  vlan_pcp: 7n,
};

/**
 * What is left of a match on the tag in messages of a version. OpenFlow 1.2 and later have one
 * field for VLAN and presence and another for the priority, which is there with a tag only and has
 * no mask.
 */
export function tagIn(protocol: Protocol, { value, mask }: Masked): Masked {
  if (protocol === 'OpenFlow10') return { value, mask };
  const low = tag.vid | tag.present;
  if ((mask & tag.pcp) === 0n || (value & low) === 0n)
    return { value: value & low, mask: mask & low };
  return { value: value | tag.present, mask: (mask & low) | tag.pcp | tag.present };
}

/** `dl_vlan=5`, `dl_vlan_pcp=3` or both, where that says it all. */
export function printTag({ value, mask }: Masked): readonly string[] | undefined {
  const isAllOrNone = (bits: bigint) => (mask & bits) === 0n || (mask & bits) === bits;
  const names = [
    ...((mask & tag.vid) === 0n ? [] : [`dl_vlan=${value & tag.vid}`]),
    ...((mask & tag.pcp) === 0n ? [] : [`dl_vlan_pcp=${(value & tag.pcp) >> tag.pcpShift}`]),
  ];
  if (
    (value & tag.present) !== 0n &&
    isAllOrNone(tag.vid) &&
    isAllOrNone(tag.pcp) &&
    names.length > 0
  )
    return names;
  return undefined;
}
