/**
 * Which Geneve options the fields tun_metadataN stand for on one bridge (ovs-ofctl(8),
 * "add-tlv-map", "dump-tlv-map").
 */
import { InputError } from '../../base/errors/errors.js';
import type { TlvMap, TunnelOption } from './form.js';

const mapping =
  /\{class=(0x[\da-f]+|\d+),\s*type=(0x[\da-f]+|\d+),\s*len=(\d+)\}->tun_metadata(\d+)/gi;
/** What `dump-tlv-map` writes of each: class, type, length, field; zero without 0x. */
const row = /^\s*(0x[\da-f]+|0)\s+(0x[\da-f]+|0)\s+(\d+)\s+tun_metadata(\d+)\s*$/i;

/** `add-tlv-map` takes lengths of 4 to 124 bytes, by fours, and has 64 fields. */
const limits = { bytes: 124, fields: 64 } as const;

/**
 * Reads mappings as `add-tlv-map` takes them, any number a line, or what `dump-tlv-map` prints.
 * @throws InputError with file and line for a line with neither, a field that is mapped twice, or a
 *   length that no option has.
 */
export function parseTlvMap(text: string, file: string): TlvMap {
  const found = new Map<number, TunnelOption>();
  for (const [index, line] of text.split('\n').entries()) {
    const place = { file, line: index + 1 };
    if (
      /^\s*(#|$)|^NXT_TLV_TABLE_REPLY|^\s*(max option space|allocated option space|max fields|mapping table|class\s+type|-+)/.test(
        line,
      )
    )
      continue;
    const dumped = row.exec(line);
    const mappings = dumped === null ? [...line.matchAll(mapping)] : [dumped];
    if (mappings.length === 0)
      throw new InputError(
        `expected {class=0x102,type=0x80,len=4}->tun_metadata0, got "${line.trim().slice(0, 60)}"`,
        place,
      );
    for (const [, optionClass, type, length, field] of mappings) {
      const option = { class: Number(optionClass), type: Number(type), bytes: Number(length) };
      if (Number(field) >= limits.fields)
        throw new InputError(
          `there is no tun_metadata${field}: the last one is tun_metadata${limits.fields - 1}`,
          place,
        );
      if (option.class > 0xffff || option.type > 0xff)
        throw new InputError(
          `a class has 16 bits and a type 8, got class=${optionClass},type=${type}`,
          place,
        );
      if (option.bytes % 4 !== 0 || option.bytes > limits.bytes)
        throw new InputError(
          `an option has 4 to ${limits.bytes} bytes, by fours, not ${length}`,
          place,
        );
      // Open vSwitch takes it, and it holds no value: a flow that names its field is refused.
      if (option.bytes === 0) continue;
      if (found.has(Number(field)))
        throw new InputError(`tun_metadata${field} is mapped twice`, place);
      found.set(Number(field), option);
    }
  }
  return found;
}

/** As `add-tlv-map` takes it. */
export function printTlvMap(map: TlvMap): string {
  const hex = (number: number) => `0x${number.toString(16)}`;
  return [...map]
    .map(
      ([field, option]) =>
        `{class=${hex(option.class)},type=${hex(option.type)},` +
        `len=${option.bytes}}->tun_metadata${field}`,
    )
    .join(',');
}
