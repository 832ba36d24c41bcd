/**
 * Names that came from outside (topologies, dumps, records) as parts of paths: the only way from
 * the one to the other.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { assert } from '../errors/errors.js';

/** What the name of a file holds (NAME_MAX, pathname(7)). */
const fileNameBytesMax = 255;
/** 96 bits: nobody finds two names of one digest. */
const digestLength = 16;
/** The fewest bytes that stand for any name. */
export const pathPartBytesMin = 1 + digestLength;

/**
 * The part of a path that stands for `name`: itself where it is of letters, digits, `-`, `_` and
 * `.` and begins with neither `.` nor `-`; of others each other character is written as the bytes
 * of its UTF-8, `%2F`. Of a name that would be longer than `bytesMax`, its beginning, `~` and a
 * digest. Two names have two parts. None is empty, `.` or `..`, or has a `/`, a blank or a control
 * character in it. `~` stands in shortened ones alone, before 16 characters: what is ours beside
 * them may end in one and fewer.
 */
export function pathPart(name: string, bytesMax = fileNameBytesMax): string {
  assert(
    bytesMax >= pathPartBytesMin,
    `a part of a path has ${pathPartBytesMin} bytes or more, not ${bytesMax}`,
  );
  const characters = [...name].map((character, index) => escapeOf(character, index === 0));
  // No name is escaped to nothing, or to a "%" alone.
  const whole = name === '' ? '%' : characters.join('');
  if (whole.length <= bytesMax) return whole;
  const digest = createHash('sha256').update(whole).digest('base64url');
  return `${whole.slice(0, bytesMax - pathPartBytesMin)}~${digest.slice(0, digestLength)}`;
}

/**
 * The path of what is called `name`, directly in `dir`.
 * @param suffix our own end of the file's name, such as `.port`; it counts in `bytesMax`.
 */
export function within(
  dir: string,
  name: string,
  suffix = '',
  bytesMax = fileNameBytesMax,
): string {
  return join(dir, `${pathPart(name, bytesMax - suffix.length)}${suffix}`);
}

function escapeOf(character: string, isFirst: boolean): string {
  if (/^[A-Za-z0-9_]$/.test(character) || (!isFirst && /^[.-]$/.test(character))) return character;
  // Half of a surrogate pair has no UTF-8.
  if (/^[\ud800-\udfff]$/.test(character)) return `%u${character.charCodeAt(0).toString(16)}`;
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
