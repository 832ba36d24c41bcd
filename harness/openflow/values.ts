/** Values of fields, read and printed in the notation of each field (ovs-fields(7)). */
import { formatIpv4, formatMac, ipv4Number, macBytes, parseCidr, prefixMask } from '../base/address.js';
import { assert, assertNever, InputError } from '../base/errors.js';
import { ctStateBits, type Field } from './fields.js';
import { parsePort, printPort, type PortNames } from './ports.js';
import { complain, cut, parseNumber, shorten, type Span } from './text.js';

/** A value with the bits of it that count; bits outside the mask are zero in the value. */
export interface Masked {
  readonly value: bigint;
  readonly mask: bigint;
}

/** `VALUE` or `VALUE/MASK` in the field's notation. */
export function parseMasked(field: Field, at: Span, ports: PortNames): Masked {
  if (field.notation === 'ct_state') return parseCtState(field, at);
  if (field.notation === 'fragment') return parseFragment(at);
  if (field.notation === 'ipv4' && /\/\d{1,2}$/.test(at.text)) {
    const cidr = readable(at, () => parseCidr(at.text));
    return { value: BigInt(cidr.number), mask: BigInt(prefixMask(cidr.prefixLength)) };
  }
  const [valueText, maskText] = cut(at, '/');
  const value = parseValue(field, valueText, ports);
  if (maskText === undefined) return { value, mask: field.ones };
  if (!field.maskable) throw complain(maskText, `${field.matchName} takes no mask, got "${shorten(maskText.text)}"`);
  const mask = parseValue(field, maskText, ports);
  return { value: value & mask, mask };
}

/** One value of a field, without a mask. */
function parseValue(field: Field, at: Span, ports: PortNames): bigint {
  switch (field.notation) {
    case 'mac':
      return macNumber(at);
    case 'ipv4':
      return BigInt(readable(at, () => ipv4Number(at.text)));
    case 'port':
      return BigInt(parsePort(at, ports));
    case 'decimal':
    case 'hex':
    case 'hex16':
    case 'ct_state':
    case 'fragment':
      return parseBits(field, at);
    default:
      return assertNever(field.notation);
  }
}

function parseBits(field: Field, at: Span): bigint {
  const value = parseNumber(at, field.matchName, field.ones);
  if ((value & ~field.ones) !== 0n) throw complain(at, `${field.matchName} cannot be ${at.text}: it has the bits 0x${field.ones.toString(16)}`);
  return value;
}

/** As a match shows it: `10.10.0.0/24`, `0x1/0xffff`, `+new-est`. */
export function printMasked(field: Field, masked: Masked): string {
  const { value, mask } = masked;
  switch (field.notation) {
    case 'ct_state':
      return printCtState(field, masked);
    case 'fragment':
      return printFragment(masked);
    case 'decimal':
      return mask === field.ones ? String(value) : `0x${value.toString(16)}/0x${mask.toString(16)}`;
    case 'hex16':
      return mask === field.ones ? hex16(value) : `${hex16(value)}/${hex16(mask)}`;
    case 'hex':
    case 'mac':
    case 'ipv4':
    case 'port':
      return printAssigned(field, masked);
    default:
      return assertNever(field.notation);
  }
}

/** As set_field shows it: `10.10.0.0/24`, `5/0xff`. */
export function printAssigned(field: Field, { value, mask }: Masked): string {
  const plain = printValue(field, value);
  if (mask === field.ones) return plain;
  if (field.notation === 'ipv4') return `${plain}/${prefixLengthOf(Number(mask)) ?? formatIpv4(Number(mask))}`;
  return `${plain}/${field.notation === 'mac' ? printValue(field, mask) : `0x${mask.toString(16)}`}`;
}

function printValue(field: Field, value: bigint): string {
  switch (field.notation) {
    case 'mac':
      return formatMac(Uint8Array.from([40n, 32n, 24n, 16n, 8n, 0n], (shift) => Number((value >> shift) & 0xffn)));
    case 'ipv4':
      return formatIpv4(Number(value));
    case 'port':
      return printPort(Number(value));
    case 'decimal':
      return String(value);
    case 'hex':
    case 'hex16':
    case 'ct_state':
    case 'fragment':
      return value === 0n ? '0' : `0x${value.toString(16)}`;
    default:
      return assertNever(field.notation);
  }
}

function hex16(value: bigint): string {
  return `0x${value.toString(16).padStart(4, '0')}`;
}

function macNumber(at: Span): bigint {
  return readable(at, () => macBytes(at.text)).reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}

/** Gives an error about a bare address the place it stands at. */
function readable<T>(at: Span, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) throw complain(at, error.message.replace(at.text, () => shorten(at.text)));
    throw error;
  }
}

function prefixLengthOf(mask: number): number | undefined {
  for (let length = 0; length <= 32; length++) if (prefixMask(length) === mask) return length;
  return undefined;
}

/** `+new-est`; `new|trk` for exactly these flags and no others; a number, with or without a mask. */
function parseCtState(field: Field, at: Span): Masked {
  if (/^[0-9]/.test(at.text)) {
    const [valueText, maskText] = cut(at, '/');
    const mask = maskText === undefined ? field.ones : parseBits(field, maskText);
    return { value: parseBits(field, valueText) & mask, mask };
  }
  const signed = /^[+-]/.test(at.text);
  let value = 0n;
  let mask = 0n;
  const flags = signed ? (at.text.match(/[+-][^+-]*/g) ?? []) : at.text.split('|').map((name) => `+${name}`);
  for (const flag of flags) {
    const name = flag.slice(1);
    if (!Object.hasOwn(ctStateBits, name)) throw complain(at, `ct_state: unknown flag "${shorten(name)}"; known: ${Object.keys(ctStateBits).join(', ')}`);
    const bit = BigInt(ctStateBits[name as keyof typeof ctStateBits]);
    if ((mask & bit) !== 0n) throw complain(at, `ct_state: ${name} is given twice`);
    mask |= bit;
    if (flag.startsWith('+')) value |= bit;
  }
  return { value, mask: signed ? mask : field.ones };
}

function printCtState(field: Field, { value, mask }: Masked): string {
  const named = Object.entries(ctStateBits).map(([name, bit]) => ({ name, set: (value & BigInt(bit)) !== 0n, matters: (mask & BigInt(bit)) !== 0n }));
  if (mask === field.ones) return named.filter(({ set }) => set).map(({ name }) => name).join('|') || '0';
  return named.filter(({ matters }) => matters).map(({ name, set }) => `${set ? '+' : '-'}${name}`).join('');
}

/** The words of nw_frag with the bits they stand for (ovs-fields(7), "IPv4 fragment"). */
const fragments: Readonly<Record<string, Masked>> = {
  no: { value: 0n, mask: 3n },
  yes: { value: 1n, mask: 1n },
  first: { value: 1n, mask: 3n },
  later: { value: 3n, mask: 3n },
  not_later: { value: 0n, mask: 2n },
};

function parseFragment(at: Span): Masked {
  const known = Object.hasOwn(fragments, at.text) ? fragments[at.text] : undefined;
  if (known === undefined) throw complain(at, `nw_frag: expected one of ${Object.keys(fragments).join(', ')}, got "${shorten(at.text)}"`);
  return known;
}

function printFragment({ value, mask }: Masked): string {
  const word = Object.entries(fragments).find(([, known]) => known.value === value && known.mask === mask)?.[0];
  assert(word !== undefined, `no word for the fragments ${value}/${mask}`);
  return word;
}
