/**
 * Goal: what real switches printed is read, and printed again to the letter; what they refused is
 * refused. Method: the frozen texts of harness/openflow/testkit/corpus, in the forms of OpenFlow
 * 1.0, 1.3 and 1.5, by numbers and by names.
 */
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { parseDump, parseFlow, printDumpedFlow, printFlow, type Flow } from '../flows/flow.js';
import { noNames, type Form, type Names, type Protocol } from '../syntax/form.js';

const folder = new URL('../../../../harness/openflow/testkit/corpus/', import.meta.url);
const linesOf = (file: string): readonly string[] =>
  readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const numbers: Names = {
  ...noNames,
  tunnelOptions: new Map([
    [0, { class: 0xffff, type: 0, bytes: 4 }],
    [1, { class: 0xffff, type: 1, bytes: 8 }],
    [2, { class: 0x102, type: 0x80, bytes: 4 }],
    [63, { class: 0xffff, type: 3, bytes: 124 }],
  ]),
};
const names: Names = {
  ...numbers,
  ports: new Map(
    ['p1', 'antrea-gw0', '3port', 'a.b', 'q x', 'q"x', 'uplink'].map((name, index) => [
      name,
      index + 1,
    ]),
  ),
  tables: new Map([
    ['classifier', 3],
    ['a-b.c', 6],
    ['7up', 7],
  ]),
};
/** `13 names` */
const formOf = (text: string): Form => ({
  protocol: `OpenFlow${text.slice(0, 2)}` as Protocol,
  ...(text.endsWith('names') ? names : numbers),
});

void t.test('matches', async (t) => {
  let flow = '';
  let printed = 0;
  const wrong: string[] = [];
  const compare = (read: string, form: Form, actual: Flow, expected: string): void => {
    const text = printDumpedFlow({ flow: actual }, form);
    printed++;
    if (text !== expected)
      wrong.push(`${read} by ${form.protocol}: expected ${expected}, got ${text}`);
  };
  for (const line of linesOf('matches.txt')) {
    const [, kind = '', text = ''] = /^(flow|refused|bent|  [^:]*:) (.*)$/.exec(line) ?? [];
    if (kind === 'flow') flow = text;
    else if (kind === 'refused' || kind === 'bent')
      t.throws(() => parseFlow(text, names), { name: 'InputError' }, text);
    else
      for (const form of kind.trim().slice(0, -1).split(', ').map(formOf)) {
        compare(flow, form, parseFlow(printFlow(parseFlow(flow, names)), names), text);
        compare(text, form, parseFlow(text, form), text);
      }
  }
  t.strictSame(wrong, []);
  t.ok(printed > 3000, `${printed} texts`);
});

void t.test('whole dumps', async (t) => {
  for (const file of readdirSync(folder).filter((name) => name.startsWith('dumps-'))) {
    for (const part of linesOf(file).join('\n').split(/^= /m).slice(1)) {
      const [head = '', ...lines] = part.trimEnd().split('\n');
      const form = formOf(head);
      const text = lines.filter((line) => line.startsWith(' ')).map((line) => line.slice(1));
      t.strictSame(
        parseDump(lines.join('\n'), file, form).map((dumped) => printDumpedFlow(dumped, form)),
        text,
        `${file}: OpenFlow ${head}`,
      );
    }
  }
});
