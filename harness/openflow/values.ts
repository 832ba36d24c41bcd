/** Values of fields, read and printed in the notation of each field (ovs-fields(7)). */
import { formatIpv4, formatMac, ipv4Number, macBytes, parseCidr, prefixMask } from '../base/address.js';
import { InputError, assertNever } from '../base/errors.js';
import { ctStateBits, fullMask, type Field } from './fields.js';
import { parsePort, printPort, type PortNames } from './ports.js';
import { complain, cut, parseNumber, shorten, type Span } from './text.js';

/** A value with the bits of it that count; bits outside the mask are zero in the value. */
export interface Masked {
  readonly value: bigint;
  readonly mask: bigint;
}

/** `VALUE` or `VALUE/MASK` in the field's notation. */
export function parseMasked(field: Field, at: Span, ports: PortNames): Masked {
  if (field.notation === 'ct_state') return parseCtState(at);
  if (field.notation === 'fragment') return parseFragment(at);
  if (field.notation === 'ipv4' && /\/\d{1,2}$/.test(at.text)) {
    const cidr = readable(at, () => parseCidr(at.text));
    return { value: BigInt(cidr.number), mask: BigInt(prefixMask(cidr.prefixLength)) };
  }
  const [valueText, maskText] = cut(at, '/');
  const value = parseValue(field, valueText, ports);
  if (maskText === undefined) return { value, mask: fullMask(field) };
  if (!field.maskable) throw complain(maskText, `${field.matchName} takes no mask, got "${maskText.text}"`);
  const mask = parseValue(field, maskText, ports);
  return { value: value & mask, mask };
}

/** One value of a field, without a mask. */
export function parseValue(field: Field, at: Span, ports: PortNames): bigint {
  switch (field.notation) {
    case 'mac':
      return /^0x/i.test(at.text) ? parseNumber(at, field.name, fullMask(field)) : macNumber(at);
    case 'ipv4':
      return /^0x/i.test(at.text) ? parseNumber(at, field.name, fullMask(field)) : BigInt(readable(at, () => ipv4Number(at.text)));
    case 'port':
      return BigInt(parsePort(at, ports));
    case 'decimal':
    case 'hex':
    case 'ct_state':
    case 'fragment':
      return parseNumber(at, field.matchName, fullMask(field));
    default:
      return assertNever(field.notation);
  }
}

/** As ovs-ofctl prints it: `10.10.0.0/24`, `0x1/0xffff`, `+new-est`. */
export function printMasked(field: Field, { value, mask }: Masked): string {
  if (field.notation === 'ct_state') return printCtState(value, mask);
  if (field.notation === 'fragment') return printFragment(value, mask);
  const plain = printValue(field, value);
  if (mask === fullMask(field)) return plain;
  if (field.notation === 'ipv4') {
    const prefix = prefixLengthOf(Number(mask));
    return `${plain}/${prefix ?? formatIpv4(Number(mask))}`;
  }
  return `${plain}/${printValue(field, mask)}`;
}

export function printValue(field: Field, value: bigint): string {
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
    case 'ct_state':
    case 'fragment':
      return value === 0n ? '0' : `0x${value.toString(16)}`;
    default:
      return assertNever(field.notation);
  }
}

function macNumber(at: Span): bigint {
  return readable(at, () => macBytes(at.text)).reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}

/** Gives an error about a bare address the place it stands at. */
function readable<T>(at: Span, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) throw complain(at, error.message);
    throw error;
  }
}

function prefixLengthOf(mask: number): number | undefined {
  for (let length = 0; length <= 32; length++) if (prefixMask(length) === mask) return length;
  return undefined;
}

/** `+new-est` or a number. */
function parseCtState(at: Span): Masked {
  if (/^[0-9]/.test(at.text)) {
    const [valueText, maskText] = cut(at, '/');
    const mask = maskText === undefined ? 0xffffffffn : parseNumber(maskText, 'ct_state', 0xffffffffn);
    return { value: parseNumber(valueText, 'ct_state', 0xffffffffn) & mask, mask };
  }
  let value = 0n;
  let mask = 0n;
  const flags = [...at.text.matchAll(/([+-])([a-z]+)/g)];
  if (flags.map(([flag]) => flag).join('') !== at.text) throw complain(at, `ct_state: expected flags such as +trk-new, got "${shorten(at.text)}"`);
  for (const [, sign, name = ''] of flags) {
    const bit = (ctStateBits as Readonly<Record<string, number>>)[name];
    if (bit === undefined) throw complain(at, `ct_state: unknown flag "${name}"; known: ${Object.keys(ctStateBits).join(', ')}`);
    mask |= BigInt(bit);
    if (sign === '+') value |= BigInt(bit);
  }
  return { value, mask };
}

function printCtState(value: bigint, mask: bigint): string {
  return Object.entries(ctStateBits)
    .filter(([, bit]) => (mask & BigInt(bit)) !== 0n)
    .map(([name, bit]) => ((value & BigInt(bit)) === 0n ? `-${name}` : `+${name}`))
    .join('');
}

/** The words of ip_frag with the bits they stand for (ovs-fields(7), ip_frag). */
const fragments: Readonly<Record<string, Masked>> = {
  no: { value: 0n, mask: 3n },
  yes: { value: 1n, mask: 1n },
  first: { value: 1n, mask: 3n },
  later: { value: 3n, mask: 3n },
  not_later: { value: 0n, mask: 2n },
};

function parseFragment(at: Span): Masked {
  const known = fragments[at.text];
  if (known === undefined) throw complain(at, `ip_frag: expected one of ${Object.keys(fragments).join(', ')}, got "${shorten(at.text)}"`);
  return known;
}

function printFragment(value: bigint, mask: bigint): string {
  return Object.entries(fragments).find(([, known]) => known.value === value && known.mask === mask)?.[0] ?? `0x${value.toString(16)}/0x${mask.toString(16)}`;
}
