/**
 * MurmurHash3 over 32-bit words as a little-endian machine holds them (Open vSwitch lib/hash.h). A
 * processor with instructions for CRC32 does not change it: programs built for all x86-64 machines
 * do without.
 */

/** (lib/hash.c, hash_bytes) */
export function hashBytes(bytes: Uint8Array, basis: number): number {
  return finish(addWords(basis, littleEndian(bytes)) ^ bytes.length);
}

/** Of words as the machine holds them, however many (lib/hash.h, hash_add and hash_finish). */
export function hashWords(words: readonly number[], basis: number): number {
  return finish(addWords(basis, words));
}

/** (lib/hash.h, hash_2words) */
export function hash2words(x: number, y: number): number {
  return finish(add(add(x | 0, 0), y) ^ 8);
}

/** (lib/hash.h, hash_uint64_basis) */
export function hashUint64(value: bigint, basis = 0): number {
  return finish(add(add(basis | 0, Number(value & 0xffffffffn)), Number(value >> 32n)) ^ 8);
}

/**
 * The words of `bytes` as a little-endian machine reads them, the last one filled up with zeros.
 */
export function littleEndian(bytes: Uint8Array): readonly number[] {
  return Array.from(
    { length: Math.ceil(bytes.length / 4) },
    (_, index) =>
      [0, 1, 2, 3].reduce(
        (sum, byte) => sum | ((bytes[index * 4 + byte] ?? 0) << (8 * byte)),
        0,
      ) >>> 0,
  );
}

/** What a little-endian machine makes of a word in network order. */
export function byteSwap(value: number): number {
  return (
    (((value & 0xff) << 24) |
      ((value & 0xff00) << 8) |
      ((value >>> 8) & 0xff00) |
      (value >>> 24)) >>>
    0
  );
}

export function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

export function addWords(start: number, words: readonly number[]): number {
  return words.reduce(add, start);
}

export function add(hash: number, data: number): number {
  const mixed = hash ^ Math.imul(rotateLeft(Math.imul(data, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotateLeft(mixed, 13), 5) + 0xe6546b64) | 0;
}

export function finish(start: number): number {
  let hash = start ^ (start >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
