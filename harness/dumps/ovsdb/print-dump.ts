/** A database as `ovsdb-client dump -f json` prints it; `readJsonDump` is the inverse. */
import type { Column, Database } from './database.js';

/** A table a line; each row has all columns that one of the table has. */
export function printJsonDump({ tables }: Pick<Database, 'tables'>): string {
  return [...tables]
    .map(([name, rows]) => {
      const headings = [
        ...new Set(['_uuid', ...[...rows.values()].flatMap((row) => [...row.keys()])]),
      ];
      const data = [...rows].map(([uuid, row]) =>
        headings.map((heading) =>
          heading === '_uuid' ? ['uuid', uuid] : jsonOf(row.get(heading) ?? []),
        ),
      );
      return `${JSON.stringify({ caption: `${name} table`, headings, data })}\n`;
    })
    .join('');
}

function jsonOf(column: Column): unknown {
  return column instanceof Map ? ['map', [...column]] : ['set', column];
}
