/** Values of columns as OVSDB's JSON has them (RFC 7047, section 5.1). */
import type { Row } from '../ovs/ovsdb/ovsdb.js';

/** The first UUID of a column. */
export function uuidIn(row: Row, column: string): string | undefined {
  return uuidsIn(row, column)[0];
}

/** One UUID, or a set of them. */
export function uuidsIn(row: Row, column: string): readonly string[] {
  const value = row[column];
  if (!Array.isArray(value)) return [];
  const [tag, content] = value as readonly [string, unknown];
  if (tag === 'uuid') return [String(content)];
  return (content as readonly (readonly [string, string])[]).map(([, uuid]) => uuid);
}

/** Of a map; none where the column is not there. */
export function entriesIn(row: Row, column: string): readonly (readonly [string, string])[] {
  const value = row[column];
  if (!Array.isArray(value)) return [];
  const [tag, content] = value as readonly [string, readonly (readonly [string, string])[]];
  return tag === 'map' ? content : [];
}

/** `?` where there is none. */
export function externalId(row: Row, key: string): string {
  return entriesIn(row, 'external_ids').find(([name]) => name === key)?.[1] ?? '?';
}

/** One text, or a set of them. */
export function textsIn(row: Row, column: string): readonly string[] {
  const value = row[column];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  return (value as readonly [string, readonly unknown[]])[1].map(String);
}
