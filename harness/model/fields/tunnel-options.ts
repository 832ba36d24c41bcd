/**
 * Geneve options on one bridge: the fields tun_metadataN, whose places in the flow key follow from
 * the bridge's tlv-map (ovs-fields(7), "TUN_METADATA0"). A field is there once it was written or
 * came with a packet; its value outlives its being there.
 */
import { oncePer } from '../../base/once-per.js';
import type { Action } from '../../openflow/actions/actions.js';
import { fieldCalled, fields, type Field } from '../../openflow/match/fields.js';
import type { Flow } from '../../openflow/flows/flow.js';
import type { TlvMap, TunnelOption } from '../../openflow/syntax/form.js';
import type { Match } from '../../openflow/match/match.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';

interface OptionField {
  readonly number: number;
  readonly option: TunnelOption;
  /** With its own words and width. */
  readonly field: Field;
}

export type OptionFields = readonly OptionField[];

export function optionFields(map: TlvMap): OptionFields {
  let next = word.tunMetadata;
  return [...map]
    .sort(([a], [b]) => a - b)
    .map(([number, option]) => {
      const bits = option.bytes * 8;
      const field = {
        ...fieldCalled(`tun_metadata${number}`),
        word: next,
        bits,
        ones: (1n << BigInt(bits)) - 1n,
      };
      next += option.bytes / 4;
      return { number, option, field };
    });
}

const optionRows: ReadonlySet<unknown> = new Set(
  fields.filter(({ notation }) => notation === 'option'),
);

/** Whether it is a row of the field table, which stands for no option yet. */
export function isUnmapped(field: Field): boolean {
  return optionRows.has(field);
}

/** The same match or actions with the bridge's own fields, at any depth. */
export function withOptionFields<T extends Match | readonly Action[]>(
  whole: T,
  own: OptionFields,
): T {
  const replace = (value: unknown): unknown => {
    if (optionRows.has(value))
      return own.find(({ field }) => field.name === (value as Field).name)?.field ?? value;
    if (Array.isArray(value)) return value.map(replace);
    const isTree = typeof value === 'object' && value !== null && !('nxm' in value);
    return isTree
      ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replace(part)]))
      : value;
  };
  return own.length === 0 || !anyOption(whole) ? whole : (replace(whole) as T);
}

/** Whether it has fields that are the bridge's own. */
export function hasOptions({ match, actions }: Pick<Flow, 'match' | 'actions'>): boolean {
  return anyOption(match) || anyOption(actions);
}

const anyOption = oncePer((whole: Match | readonly Action[]) => hasOption(whole));

/** Most flows have none: to look is cheaper than to build them again. */
function hasOption(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('nxm' in value) return optionRows.has(value);
  for (const part of Array.isArray(value) ? value : Object.values(value))
    if (hasOption(part)) return true;
  return false;
}

/** Where the key says that option N is present. */
export function presence({ name }: Field): { readonly word: number; readonly mask: number } {
  const number = Number(name.slice('tun_metadata'.length));
  return { word: word.tunOptions + (number >>> 5), mask: (1 << (number & 31)) >>> 0 };
}

export function isPresent(key: FlowKey, field: Field): boolean {
  const bit = presence(field);
  return ((key[bit.word] ?? 0) & bit.mask) !== 0;
}

export function setPresent(key: FlowKey, field: Field, state: 'there' | 'gone'): void {
  const bit = presence(field);
  key[bit.word] =
    state === 'there' ? (key[bit.word] ?? 0) | bit.mask : (key[bit.word] ?? 0) & ~bit.mask;
}

/** Of an option's type: who does not know it has to drop the packet (RFC 8926, section 3.5). */
const critical = 0x80;
const headerBytes = 4;

/** The options that are there, as Geneve carries them, in the order of their fields. */
export function encodeOptions(
  key: FlowKey,
  own: OptionFields,
): { readonly bytes: Uint8Array; readonly isCritical: boolean } {
  const found = own.filter(({ field }) => isPresent(key, field));
  const parts = found.map(({ option, field }) => {
    const bytes = new Uint8Array(headerBytes + option.bytes);
    const view = new DataView(bytes.buffer);
    view.setUint16(0, option.class);
    view.setUint8(2, option.type);
    view.setUint8(3, option.bytes / 4);
    for (let at = 0; at < option.bytes; at += 4)
      view.setUint32(headerBytes + at, key[field.word + at / 4] ?? 0);
    return bytes;
  });
  return {
    bytes: concatBytes(...parts),
    isCritical: found.some(({ option }) => (option.type & critical) !== 0),
  };
}

/**
 * Reads what came with a packet. `refused`: an option that must be known and is not, or of another
 * length than the map says; then the packet is dropped.
 */
export function decodeOptions(
  bytes: Uint8Array,
  key: FlowKey,
  own: OptionFields,
): 'read' | 'refused' {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const [optionClass, type, length] = [
      view.getUint16(at),
      view.getUint8(at + 2),
      (view.getUint8(at + 3) & 0x1f) * 4,
    ];
    if (at + headerBytes + length > bytes.length) return 'refused';
    const known = own.find(({ option }) => option.class === optionClass && option.type === type);
    if (known === undefined ? (type & critical) !== 0 : known.option.bytes !== length)
      return 'refused';
    if (known !== undefined) {
      for (let word32 = 0; word32 < length; word32 += 4)
        key[known.field.word + word32 / 4] = view.getUint32(at + headerBytes + word32);
      setPresent(key, known.field, 'there');
    }
    at += headerBytes + length;
  }
  return 'read';
}
