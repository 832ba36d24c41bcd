/**
 * What `ovsdb-client dump` prints: tables with headings in its default form, and with `-f json`
 * (ovsdb-client(1)).
 */
import { InputError } from '../../base/errors/errors.js';
import { complain, part, shorten, span, split, type Span } from '../../openflow/syntax/text.js';
import type { TextSource } from '../text-source.js';
import { columnOfJson, type Column, type Database, type Row, type Table } from './database.js';

const title = /^(\w+) table$/;

/** One document a table, each with a caption, headings and rows. */
export function readJsonDump({ text, file }: TextSource): Database {
  const tables = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const { caption, headings, data } = parseJson(line, file, index + 1);
    const [, name] = title.exec(typeof caption === 'string' ? caption : '') ?? [];
    if (name === undefined || !Array.isArray(headings) || !Array.isArray(data))
      throw new InputError(
        'expected a table with caption, headings and data, as "ovsdb-client dump -f json" ' +
          'prints it',
        { file, line: index + 1 },
      );
    const rows = data.map(
      (cells: unknown) =>
        new Map(
          headings.map((heading, column) => [
            String(heading),
            columnOfJson(Array.isArray(cells) ? cells[column] : undefined, file),
          ]),
        ),
    );
    return [[name, tableOf(rows)] as const];
  });
  return { file, tables: new Map(tables) };
}

function parseJson(text: string, file: string, line: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null)
      return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new InputError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      file,
      line,
    });
  }
  throw new InputError(`expected a JSON object, got ${shorten(text)}`, { file, line });
}

function tableOf(rows: readonly Row[]): Table {
  return new Map(
    rows.map((row) => [(row.get('_uuid') as readonly string[] | undefined)?.[0] ?? '', row]),
  );
}

/**
 * A title, a line of headings, a line of dashes as wide as each column, then a row a line; an empty
 * line behind each table.
 */
export function readTextDump({ text, file }: TextSource): Database {
  const tables = new Map<string, Table>();
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, name] = title.exec(lines[at] ?? '') ?? [];
    if (name === undefined) {
      if (lines[at]?.trim() === '') continue;
      throw new InputError(
        `expected the title of a table, such as "Bridge table", got "${shorten(lines[at] ?? '')}"`,
        { file, line: at + 1 },
      );
    }
    const columns = columnsOf(lines[at + 1] ?? '', lines[at + 2] ?? '', { file, line: at + 2 });
    const end = lines.findIndex((line, index) => index > at + 2 && line.trim() === '');
    const last = end < 0 ? lines.length : end;
    tables.set(
      name,
      tableOf(
        lines
          .slice(at + 3, last)
          .map((line, index) => rowOf(line, columns, { file, line: at + 4 + index })),
      ),
    );
    at = last;
  }
  return { file, tables };
}

/** A column's place in a line, in bytes. */
interface TextColumn {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function columnsOf(
  headings: string,
  dashes: string,
  place: { readonly file: string; readonly line: number },
): readonly TextColumn[] {
  if (!/^-+( -+)*$/.test(dashes))
    throw new InputError(`expected a line of dashes below the headings, got "${shorten(dashes)}"`, {
      ...place,
      line: place.line + 1,
    });
  return [...dashes.matchAll(/-+/g)].map(({ index, 0: { length } }) => ({
    name: headings.slice(index, index + length).trim(),
    from: index,
    to: index + length,
  }));
}

function rowOf(
  line: string,
  columns: readonly TextColumn[],
  place: { readonly file: string; readonly line: number },
): Row {
  const bytes = Buffer.from(line);
  return new Map(
    columns.map(({ name, from, to }, index) => {
      const cell = bytes.subarray(from, index === columns.length - 1 ? undefined : to).toString();
      return [name, columnOfText(part(span(cell, { ...place, column: from + 1 }), 0))];
    }),
  );
}

/**
 * `{k=v, k="v"}`, `[a, "b"]` or one value; those that are no plain words stand in double quotes.
 */
function columnOfText(at: Span): Column {
  const [open, close] = [at.text[0], at.text.at(-1)];
  if (at.text === '') throw complain(at, 'expected a value, got nothing');
  if (open === '{' && close === '}')
    return new Map(split(part(at, 1, at.text.length - 1), /,/).map(pairOfText));
  if (open === '[' && close === ']')
    return split(part(at, 1, at.text.length - 1), /,/).map(atomOfText);
  return [atomOfText(at)];
}

function pairOfText(at: Span): readonly [string, string] {
  const [key = ''] = /^("([^"\\]|\\.)*"|[^"=]*)(?==)/.exec(at.text) ?? [];
  if (key === '') throw complain(at, `expected KEY=VALUE, got "${shorten(at.text)}"`);
  return [atomOfText(part(at, 0, key.length)), atomOfText(part(at, key.length + 1))];
}

function atomOfText(at: Span): string {
  if (!at.text.startsWith('"')) return at.text;
  try {
    return String(JSON.parse(at.text));
  } catch {
    throw complain(
      at,
      `expected a value, in double quotes where it is no plain word, got ${shorten(at.text)}`,
    );
  }
}
