/** The Internet checksum (RFC 1071) and its incremental update (RFC 1624). */

/**
 * The sum of 16-bit big-endian words of `bytes` from `start` to before `end`, not yet folded; an
 * odd last byte is padded with zero.
 */
export function sumWords(bytes: Uint8Array, initial = 0, start = 0, end = bytes.length): number {
  let sum = initial;
  let index = start;
  for (; index + 1 < end; index += 2) sum += ((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0);
  if (index < end) sum += (bytes[index] ?? 0) << 8;
  return sum;
}

/** One's complement of the folded sum: what stands in the checksum field. */
export function finishChecksum(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded & 0xffff) + Math.floor(folded / 0x10000);
  return ~folded & 0xffff;
}

/** The checksum of `bytes`, whose own checksum field must be zero. */
export function internetChecksum(bytes: Uint8Array, initial = 0): number {
  return finishChecksum(sumWords(bytes, initial));
}

/** `checksum` after one 16-bit word changed from `before` to `after` (RFC 1624, equation 3). */
export function updateChecksum(checksum: number, before: number, after: number): number {
  return finishChecksum((~checksum & 0xffff) + (~before & 0xffff) + after);
}
