/**
 * What reports, e-mails and terminals do to each line of a dump, undone. Lines stay where they are,
 * so that complaints name the line that people see.
 */
import type { TextSource } from '../text-source.js';

export interface UndoneText extends TextSource {
  /** What was undone, one note a kind. */
  readonly notes: readonly string[];
}

interface Kind {
  readonly what: string;
  readonly pattern: RegExp;
  readonly undo: (line: string) => string;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  gt: '>',
  lt: '<',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  equals: '=',
  comma: ',',
  plus: '+',
  colon: ':',
  period: '.',
  sol: '/',
  lpar: '(',
  rpar: ')',
  lsqb: '[',
  rsqb: ']',
  lowbar: '_',
  hyphen: '-',
  num: '#',
  Tab: ' ',
};
const entity = new RegExp(
  `&(${Object.keys(entities).join('|')}|#\\d{1,6}|#[xX][\\da-fA-F]{1,5});`,
  'g',
);

/** Of a name that entities have, or of a number, decimal or hexadecimal. */
function entityText(name: string): string {
  const code = name.startsWith('#')
    ? Number(name.slice(1).replace(/^[xX]/, '0x'))
    : (entities[name]?.codePointAt(0) ?? 0x20);
  return code > 0x10ffff ? ' ' : String.fromCodePoint(code);
}
const terminalCodes = /\u001b\[[0-9;?]*[A-Za-z]/g;
const oddSpaces = /[\u00a0\u2007\u202f\ufeff]/g;

const bordered = /^\s*\|.*\|\s*$/;

const kinds: readonly Kind[] = [
  {
    what: 'colours and other codes of a terminal',
    pattern: new RegExp(terminalCodes.source),
    undo: (line) => line.replace(terminalCodes, ''),
  },
  {
    what: 'HTML entities such as &gt;',
    pattern: new RegExp(entity.source),
    undo: (line) => line.replace(entity, (_, name: string) => entityText(name)),
  },
  {
    what: 'spaces that do not break lines',
    pattern: new RegExp(oddSpaces.source),
    undo: (line) => line.replace(oddSpaces, ' '),
  },
  {
    what: 'ends of lines as Windows writes them',
    pattern: /\r$/,
    undo: (line) => line.slice(0, -1),
  },
  {
    what: 'borders of a table (|)',
    pattern: bordered,
    undo: (line) => line.replace(/^(\s*)\|/, '$1 ').replace(/\|\s*$/, ''),
  },
  {
    what: 'fences of code (``` or ~~~)',
    pattern: /^\s*(>\s*)*(`{3,}|~{3,})\s*\w*\s*$/,
    undo: () => '',
  },
  {
    what: 'quotation marks at the beginning of lines (>)',
    pattern: /^\s*(?:>\s?)+/,
    undo: (line) => line.replace(/^\s*(?:>\s?)+/, (prefix) => ' '.repeat(prefix.length)),
  },
  {
    what: 'numbers and bullets before lines',
    pattern:
      /^\s*(?:\d+[.)]|[-*+•])\s+(?=\S*(?:cookie|table|priority|duration|group_id|meter)[=:])/,
    undo: (line) =>
      line.replace(/^\s*(?:\d+[.)]|[-*+•])\s+/, (prefix) => ' '.repeat(prefix.length)),
  },
  {
    what: 'emphasis (**, __ or `)',
    pattern: /^\s*(\*\*|__|`)(?=\S*[=:])|(\*\*|`)\s*$|[=,\s](\*\*|`)|(\*\*|`)[,\s]/,
    undo: (line) => line.replace(/\*\*|`/g, '').replace(/^(\s*)__(.*)__\s*$/, '$1$2'),
  },
];

/** Most lines have nothing of all this, and are matched against one pattern alone. */
const plain = /^[\w .,=:/()[\]"+{}>|!-]*$/;
const quoted = /^\s*>/;

/** @returns the same text where nothing is to be undone. */
export function undoMarkup({ text, file }: TextSource): UndoneText {
  const counts = new Map<string, number>();
  const lines = text.split('\n');
  let isChanged = false;
  for (const [index, line] of lines.entries()) {
    if (
      plain.test(line) &&
      !quoted.test(line) &&
      !bordered.test(line) &&
      !/^\s*-/.test(line) &&
      !/^\s*\d+[.)]\s/.test(line)
    )
      continue;
    let undone = line;
    for (const { what, pattern, undo } of kinds) {
      if (!pattern.test(undone)) continue;
      undone = undo(undone);
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
    if (undone === line) continue;
    lines[index] = undone;
    isChanged = true;
  }
  const notes = [...counts].map(
    ([what, count]) => `${file}: ${what} undone on ${count} ${count === 1 ? 'line' : 'lines'}`,
  );
  return { text: isChanged ? lines.join('\n') : text, file, notes };
}
