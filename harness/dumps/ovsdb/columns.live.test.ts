/**
 * Goal: every column of the database has a meaning, whatever the version, and none has that no
 * version has. Method: the schemas that come with three versions.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { columns } from './columns.js';

interface Schema {
  readonly tables: Readonly<
    Record<string, { readonly columns: Readonly<Record<string, { readonly type: unknown }>> }>
  >;
}

const schemas = await Promise.all(
  ['bookworm', 'trixie', 'sid'].map(async (name) => {
    const image = await openImage(name, (line) => t.comment(line));
    return JSON.parse(await readFile(image.schema('vswitch.ovsschema'), 'utf8')) as Schema;
  }),
);
const inSchemas = new Set(
  schemas.flatMap(({ tables }) =>
    Object.entries(tables).flatMap(([table, { columns: known }]) =>
      Object.keys(known).map((column) => `${table}.${column}`),
    ),
  ),
);
const described = new Set(
  Object.entries(columns).flatMap(([table, meanings]) =>
    Object.keys(meanings).map((column) => `${table}.${column}`),
  ),
);

void t.test('the table of columns is that of the schemas', (t) => {
  t.ok(inSchemas.size > 150);
  t.strictSame(
    [...inSchemas].filter((column) => !described.has(column)),
    [],
    'none is left out',
  );
  t.strictSame(
    [...described].filter((column) => !inSchemas.has(column)),
    [],
    'none is made up',
  );
  t.end();
});

void t.test('the keys of maps of texts are reported', (t) => {
  for (const { tables } of schemas)
    for (const [table, { columns: known }] of Object.entries(tables))
      for (const [column, { type }] of Object.entries(known)) {
        const isMap = typeof type === 'object' && type !== null && 'value' in type;
        if (columns[table]?.[column]?.kind === 'keys') t.ok(isMap, `${table}.${column} is a map`);
      }
  t.end();
});
