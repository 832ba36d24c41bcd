/** IPv6 addresses as people write them, and as numbers of 128 bits. */
import { InputError } from '../errors/errors.js';

/**
 * `fe80::1` as a number. The last 32 bits may be written as an IPv4 address. @throws InputError
 * when it is no IPv6 address.
 */
export function ipv6Number(text: string): bigint {
  const halves = withoutDots(text).split('::');
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  const isComplete = halves.length === 2 ? missing >= 1 : missing === 0;
  const groups = [...head, ...Array<string>(Math.max(missing, 0)).fill('0'), ...tail];
  if (
    text.length > 45 ||
    halves.length > 2 ||
    !isComplete ||
    !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
  ) {
    throw new InputError(`expected an IPv6 address such as fe80::1, got "${text}"`);
  }
  return groups.reduce((number, group) => (number << 16n) | BigInt(`0x${group}`), 0n);
}

/** With the last 32 bits as two groups. */
function withoutDots(text: string): string {
  const begin = text.lastIndexOf(':') + 1;
  const [, ...bytes] = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text.slice(begin)) ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  if (bytes.length === 0 || [a, b, c, d].some((byte) => byte > 255)) return text;
  return `${text.slice(0, begin)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/**
 * As inet_ntop(3) writes it: the longest run of zero groups as `::`, and IPv4 addresses in ::/96
 * and ::ffff:0:0/96 with dots.
 */
export function formatIpv6(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    Number((number >> BigInt(16 * (7 - index))) & 0xffffn),
  );
  const run = longestZeros(groups);
  if (run.from === 0 && (run.length === 6 || (run.length === 5 && groups[5] === 0xffff))) {
    const dotted = [groups[6] ?? 0, groups[7] ?? 0]
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
    return `::${run.length === 5 ? 'ffff:' : ''}${dotted}`;
  }
  const write = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  return run.length < 2
    ? write(groups)
    : `${write(groups.slice(0, run.from))}::${write(groups.slice(run.from + run.length))}`;
}

/** The first of the longest runs. */
function longestZeros(groups: readonly number[]): {
  readonly from: number;
  readonly length: number;
} {
  let best = { from: 0, length: 0 };
  for (let from = 0; from < groups.length; from++) {
    const end = groups.findIndex((group, index) => index >= from && group !== 0);
    const length = (end < 0 ? groups.length : end) - from;
    if (length > best.length) best = { from, length };
  }
  return best;
}
