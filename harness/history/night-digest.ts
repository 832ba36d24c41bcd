/**
 * The digest that a night's file has of itself: SHA-256 of all its bytes, with zeros where it
 * stands. It goes wherever the file is copied to, and a copy is known by it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';

/** Where it stands before it is known, as long as it is. */
export const noDigest = '0'.repeat(64);

/** Writes the digest into a file that has `noDigest` in its place. */
export async function sealFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  const place = bytes.lastIndexOf(noDigest);
  bytes.write(digestOf(bytes), place, 'latin1');
  await writeFile(file, bytes);
}

/**
 * The digest of a file's bytes, as `sealFile` has written it.
 * @param said what the file says that it is; undefined of one that says none.
 */
export async function digestOfFile(file: string, said: string | undefined): Promise<string> {
  const bytes = await readFile(file);
  const place = said === undefined ? -1 : bytes.lastIndexOf(said);
  if (place >= 0) bytes.write(noDigest, place, 'latin1');
  return digestOf(bytes);
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
