/** Values of fields, read and printed in the notation of each field (ovs-fields(7)). */
import { formatIpv4, formatMac, ipv4Number, macBytes } from '../../base/addresses/mac-and-ipv4.js';
import { assertNever, InputError } from '../../base/errors/errors.js';
import { formatIpv6, ipv6Number } from '../../base/addresses/ipv6.js';
import type { Field } from './fields.js';
import { parseFlags, printFlags, printFlagsAssigned } from './flags.js';
import { parseFragment, parsePacketType, printFragment, printPacketType } from './notations.js';
import { canonical, type Form } from '../syntax/form.js';
import { parsePort, printPort, type PortNames } from '../syntax/ports.js';
import { complain, cut, parseNumber, shorten, type Span } from '../syntax/text.js';
import type { Masked } from './masked.js';

/** `VALUE` or `VALUE/MASK` in the field's notation. */
export function parseMasked(field: Field, at: Span, ports: PortNames): Masked {
  if (field.notation === 'flags') return parseFlags(field, at);
  if (field.notation === 'fragment') return parseFragment(at);
  const [valueText, maskText] = cut(at, '/');
  const value = parseValue(field, valueText, ports);
  if (maskText === undefined) return { value, mask: field.ones };
  if (!field.maskable)
    throw complain(maskText, `${field.matchName} takes no mask, got "${shorten(maskText.text)}"`);
  const mask = parsePrefix(field, maskText) ?? parseValue(field, maskText, ports);
  return { value: value & mask, mask };
}

/** The mask that `/24` stands for, behind addresses. */
function parsePrefix(field: Field, at: Span): bigint | undefined {
  if ((field.notation !== 'ipv4' && field.notation !== 'ipv6') || !/^\d*$/.test(at.text))
    return undefined;
  const length = parseNumber(at, `${field.matchName}: prefix length`, BigInt(field.bits));
  return field.ones & ~(field.ones >> length);
}

/** One value of a field, without a mask. */
function parseValue(field: Field, at: Span, ports: PortNames): bigint {
  switch (field.notation) {
    case 'mac':
      return readable(at, () => macBytes(at.text)).reduce(
        (number, byte) => number * 256n + BigInt(byte),
        0n,
      );
    case 'ipv4':
      return BigInt(readable(at, () => ipv4Number(at.text)));
    case 'ipv6':
      return readable(at, () => ipv6Number(at.text));
    case 'port':
      return BigInt(parsePort(at, ports));
    case 'packet type':
      return parsePacketType(at);
    case 'decimal':
    case 'unmasked decimal':
    case 'hex':
    case 'unmasked hex':
    case 'hex16':
    case 'label':
    case 'vlan':
    case 'flags':
    case 'fragment':
    case 'option':
      return parseBits(field, at);
    default:
      return assertNever(field.notation);
  }
}

export function parseBits(field: Field, at: Span): bigint {
  const value = parseNumber(at, field.matchName, field.ones);
  if ((value & ~field.ones) !== 0n)
    throw complain(
      at,
      `${field.matchName} cannot be ${at.text}: it has the bits 0x${field.ones.toString(16)}`,
    );
  return value;
}

/** As a match shows it: `10.10.0.0/24`, `0x1/0xffff`, `+new-est`. */
export function printMasked(field: Field, masked: Masked, form: Form = canonical): string {
  const { value, mask } = masked;
  const isWhole = mask === field.ones;
  switch (field.notation) {
    case 'flags':
      return printFlags(field, masked);
    case 'fragment':
      return printFragment(masked);
    case 'packet type':
      return printPacketType(value);
    case 'decimal':
      return isWhole ? String(value) : `0x${value.toString(16)}/0x${mask.toString(16)}`;
    case 'hex16':
    case 'vlan':
      return isWhole ? padded(value, 4) : `${padded(value, 4)}/${padded(mask, 4)}`;
    case 'label':
      return isWhole ? padded(value, 5) : `${padded(value, 5)}/${padded(mask, 5)}`;
    case 'unmasked decimal':
    case 'unmasked hex':
      return printValue(field, value, form);
    case 'hex':
    case 'mac':
    case 'ipv4':
    case 'ipv6':
    case 'port':
    case 'option':
      return printAssigned(field, masked, form);
    default:
      return assertNever(field.notation);
  }
}

/** As set_field shows it: `10.10.0.0/24`, `5/0xff`. */
export function printAssigned(
  field: Field,
  { value, mask }: Masked,
  form: Form = canonical,
): string {
  const isWhole = mask === field.ones;
  const plain = printValue(field, value, form);
  switch (field.notation) {
    case 'ipv4':
    case 'ipv6':
      return isWhole
        ? plain
        : `${plain}/${prefixLengthOf(field, mask) ?? printValue(field, mask, form)}`;
    case 'mac':
      return isWhole ? plain : `${plain}/${printValue(field, mask, form)}`;
    default:
      return isWhole ? plain : `${plain}/0x${mask.toString(16)}`;
  }
}

function printValue(field: Field, value: bigint, form: Form): string {
  switch (field.notation) {
    case 'mac':
      return formatMac(
        Uint8Array.from([40n, 32n, 24n, 16n, 8n, 0n], (shift) => Number((value >> shift) & 0xffn)),
      );
    case 'ipv4':
      return formatIpv4(Number(value));
    case 'ipv6':
      return formatIpv6(value);
    case 'port':
      return printPort(Number(value), form.ports);
    case 'packet type':
      return printPacketType(value);
    case 'flags':
      return printFlagsAssigned(field, value);
    case 'decimal':
    case 'unmasked decimal':
      return String(value);
    case 'hex':
    case 'unmasked hex':
    case 'hex16':
    case 'label':
    case 'vlan':
    case 'fragment':
    case 'option':
      return value === 0n ? '0' : `0x${value.toString(16)}`;
    default:
      return assertNever(field.notation);
  }
}

function padded(value: bigint, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}

/** Gives an error about a bare address the place it stands at. */
function readable<T>(at: Span, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError)
      throw complain(
        at,
        error.message.replace(at.text, () => shorten(at.text)),
      );
    throw error;
  }
}

function prefixLengthOf(field: Field, mask: bigint): number | undefined {
  const hostBits = (field.ones & ~mask).toString(2);
  return /^1*$/.test(hostBits) ? field.bits - hostBits.length : undefined;
}
