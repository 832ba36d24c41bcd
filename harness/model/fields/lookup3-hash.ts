/** Bob Jenkins' lookup3 over bytes (Open vSwitch lib/jhash.c). */
import { littleEndian, rotateLeft } from './murmur-hash.js';

/** (http://burtleburtle.net/bob/c/lookup3.c, public domain) */
export function lookup3(bytes: Uint8Array, basis: number): number {
  const words = littleEndian(bytes);
  const start = (0xdeadbeef + bytes.length + basis) | 0;
  let [a, b, c] = [start, start, start];
  let at = 0;
  for (; bytes.length - at * 4 >= 12; at += 3) {
    a = (a + (words[at] ?? 0)) | 0;
    b = (b + (words[at + 1] ?? 0)) | 0;
    c = (c + (words[at + 2] ?? 0)) | 0;
    a = ((a - c) ^ rotateLeft(c, 4)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotateLeft(a, 6)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotateLeft(b, 8)) | 0;
    b = (b + a) | 0;
    a = ((a - c) ^ rotateLeft(c, 16)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotateLeft(a, 19)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotateLeft(b, 4)) | 0;
    b = (b + a) | 0;
  }
  if (at * 4 >= bytes.length) return c >>> 0;
  a = (a + (words[at] ?? 0)) | 0;
  b = (b + (words[at + 1] ?? 0)) | 0;
  c = (c + (words[at + 2] ?? 0)) | 0;
  c = ((c ^ b) - rotateLeft(b, 14)) | 0;
  a = ((a ^ c) - rotateLeft(c, 11)) | 0;
  b = ((b ^ a) - rotateLeft(a, 25)) | 0;
  c = ((c ^ b) - rotateLeft(b, 16)) | 0;
  a = ((a ^ c) - rotateLeft(c, 4)) | 0;
  b = ((b ^ a) - rotateLeft(a, 14)) | 0;
  c = ((c ^ b) - rotateLeft(b, 24)) | 0;
  return c >>> 0;
}
