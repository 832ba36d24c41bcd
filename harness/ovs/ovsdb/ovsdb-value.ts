/** Values of the database that are no plain ones (RFC 7047, 5.1). */
import type { Value } from './ovsdb.js';

export const named = (name: string): Value => ['named-uuid', name];

export function set(values: readonly Value[]): Value {
  return ['set', values];
}

export const map = (entries: Readonly<Record<string, string>>): Value => [
  'map',
  Object.entries(entries),
];
