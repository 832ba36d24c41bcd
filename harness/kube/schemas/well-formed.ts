/**
 * What Kubernetes takes for a name, a label, an address: each says what is wrong with a text and
 * what would be right, or undefined.
 */
import { formatIpv4, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { complaint, InputError } from '../../base/errors/errors.js';
import { ipv6Number } from '../../base/addresses/ipv6.js';

type Complaint = string | undefined;

const namePattern = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;
const qualified = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** RFC 1123 subdomain (Kubernetes, "Object Names and IDs"). */
export function nameComplaint(text: string): Complaint {
  if (namePattern.test(text) && text.length <= 253) return undefined;
  return (
    `"${text}" is no Kubernetes name: lower-case letters, digits, "-" and ".", with a letter ` +
    'or digit at both ends'
  );
}

/** Kubernetes, "Labels and Selectors", syntax. */
export function labelKeyComplaint(text: string): Complaint {
  const [first = '', second, ...more] = text.split('/');
  const [prefix, name] = second === undefined ? [undefined, first] : [first, second];
  if (
    more.length === 0 &&
    qualified.test(name) &&
    (prefix === undefined || nameComplaint(prefix) === undefined)
  )
    return undefined;
  return (
    `"${text}" is no label key: up to 63 letters, digits, "-", "_" and ".", with a letter or ` +
    'digit at both ends, and before it perhaps a domain and "/"'
  );
}

export function labelValueComplaint(text: string): Complaint {
  return text === '' || qualified.test(text)
    ? undefined
    : `"${text}" is no label value: up to 63 letters, digits, "-", "_" and ".", with a letter ` +
        'or digit at both ends';
}

/** A port's name (RFC 6335, section 5.1, in lower case). */
export function portNameComplaint(text: string): Complaint {
  const fine =
    /^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(text) && /[a-z]/.test(text) && !text.includes('--');
  return fine
    ? undefined
    : `"${text}" is no port name: up to 15 lower-case letters, digits and "-", at least one ` +
        'letter, "-" neither at an end nor twice in a row';
}

export function ipComplaint(text: string): Complaint {
  return complaint(() => ipv4Number(text));
}

/** An address of either family: which one a host speaks is decided where it is chosen. */
export function eitherIpComplaint(text: string): Complaint {
  return text.includes(':') ? complaint(() => ipv6Number(text)) : ipComplaint(text);
}

/** A pod subnet of either family. */
export function eitherCidrComplaint(text: string): Complaint {
  return text.includes(':') ? blockComplaint(text) : cidrComplaint(text);
}

/** The first address of its block, as the API server warns where it is not. */
export function cidrComplaint(text: string): Complaint {
  return complaint(() => {
    const { number, prefixLength } = parseCidr(text);
    const right = `${formatIpv4(number)}/${prefixLength}`;
    if (text !== right)
      throw new InputError(`"${text}" is not the first address of its block: write ${right}`);
  });
}

/** A block of either family, written with any of its addresses. */
export function blockComplaint(text: string): Complaint {
  return complaint(() => parseBlock(text));
}

/** Whether one block lies within another and is smaller. @throws InputError where one is none. */
export function isSmallerWithin(inner: string, outer: string): boolean {
  const [small, large] = [parseBlock(inner), parseBlock(outer)];
  return (
    small.bits === large.bits &&
    small.prefixLength > large.prefixLength &&
    firstBits(small, large.prefixLength) === firstBits(large, large.prefixLength)
  );
}

interface Block {
  readonly number: bigint;
  readonly prefixLength: number;
  /** Of an address. */
  readonly bits: 32 | 128;
}

function firstBits({ number, bits }: Block, count: number): bigint {
  return number >> BigInt(bits - count);
}

function parseBlock(text: string): Block {
  if (!text.includes(':')) {
    const { number, prefixLength } = parseCidr(text);
    return { number: BigInt(number), prefixLength, bits: 32 };
  }
  const [, address = '', length] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? [];
  if (length === undefined || Number(length) > 128)
    throw new InputError(`expected a block such as 10.0.0.0/8 or 2001:db8::/64, got "${text}"`);
  return { number: ipv6Number(address), prefixLength: Number(length), bits: 128 };
}
