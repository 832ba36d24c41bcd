/**
 * Fields whose bits have names: `+new-est` for some of them, `syn|ack` for exactly these, or a
 * number.
 */
import type { Field } from './fields.js';
import { complain, cut, parseNumber, shorten, type Span } from '../syntax/text.js';
import type { Masked } from './masked.js';

/** @throws InputError for a flag that the field does not have, and for one that is given twice. */
export function parseFlags(field: Field, at: Span): Masked {
  if (/^[0-9]/.test(at.text)) {
    const [valueText, maskText] = cut(at, '/');
    const value = parseNumber(valueText, field.name, field.ones);
    const mask =
      maskText === undefined ? field.ones : parseNumber(maskText, field.name, field.ones);
    return { value: value & mask, mask };
  }
  const signed = /^[+-]/.test(at.text);
  let value = 0n;
  let mask = 0n;
  const flags = signed
    ? (at.text.match(/[+-][^+-]*/g) ?? [])
    : at.text.split('|').map((name) => `+${name}`);
  for (const flag of flags) {
    const name = flag.slice(1);
    if (!Object.hasOwn(field.flags, name))
      throw complain(
        at,
        `${field.name}: unknown flag "${shorten(name)}"; known: ` +
          Object.keys(field.flags).join(', '),
      );
    const bit = BigInt(field.flags[name] ?? 0);
    if ((mask & bit) !== 0n) throw complain(at, `${field.name}: ${name} is given twice`);
    mask |= bit;
    if (flag.startsWith('+')) value |= bit;
  }
  return { value, mask: signed ? mask : field.ones };
}

/** As a match shows it. A field of one flag always has its sign. */
export function printFlags(field: Field, { value, mask }: Masked): string {
  const names = Object.entries(field.flags);
  if (mask === field.ones && names.length > 1) return printFlagsAssigned(field, value);
  return names
    .filter(([, bit]) => (mask & BigInt(bit)) !== 0n)
    .map(([name, bit]) => `${(value & BigInt(bit)) === 0n ? '-' : '+'}${name}`)
    .join('');
}

/** As set_field shows it. */
export function printFlagsAssigned(field: Field, value: bigint): string {
  return (
    Object.entries(field.flags)
      .filter(([, bit]) => (value & BigInt(bit)) !== 0n)
      .map(([name]) => name)
      .join('|') || '0'
  );
}
