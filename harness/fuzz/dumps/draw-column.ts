/** Draws columns of rows out of a schema: any column, with values that its type allows. */
import type { Random } from '../../base/random.js';
import { columns, type ColumnMeaning } from '../../dumps/ovsdb/columns.js';
import { idOf, isTable, rowNames, type DumpSetting, type TableName } from './dump-case.js';
import type { AtomType, SchemaColumn } from './schema-columns.js';
import { pick } from './pick.js';
import { keyWords, words } from './column-words.js';

/** What a draw decides on: a column, or a key of a map that is known key by key. */
interface Choice {
  readonly table: TableName;
  readonly of: SchemaColumn;
  readonly key?: string;
  readonly weight: number;
}

/** How bridges, ports and rows hang together is drawn as a whole. */
const structure = ['name', 'ports', 'interfaces', 'bridges', 'mirrors', 'ofport'];

/** Most is drawn of what decides over packets; what is refused would leave nothing to compare. */
function weightOf(meaning: ColumnMeaning | undefined): number {
  switch (meaning?.kind) {
    case 'read':
      return 60;
    case 'irrelevant':
      return 4;
    case 'noted':
      return 6;
    case 'refused':
    case undefined:
      return 1;
    case 'keys':
      return 0;
  }
}

/** Those that decide over most packets. */
const often = ['tag', 'trunks', 'vlan_mode', 'priority-tags', 'link_state', 'cvlans'];

export function choicesOf(schema: readonly SchemaColumn[]): readonly Choice[] {
  return schema.flatMap((of): readonly Choice[] => {
    const { table, column } = of;
    if (!isTable(table) || structure.includes(column)) return [];
    const meaning = columns[table]?.[column];
    const times = often.includes(column) ? 3 : 1;
    if (meaning?.kind !== 'keys') return [{ table, of, weight: times * weightOf(meaning) }];
    return [
      ...Object.entries(meaning.keys).map(([key, one]) => ({
        table,
        of,
        key,
        weight: (often.includes(key) ? 2 : 1) * weightOf(one),
      })),
      { table, of, key: 'of-mine', weight: 2 },
    ];
  });
}

export function drawColumn(random: Random, choices: readonly Choice[]): DumpSetting {
  const whole = choices.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.integer(0, whole - 1);
  const choice = choices.find(({ weight }) => (left -= weight) < 0) ?? choices[0]!;
  const { table, of, key } = choice;
  const row = pick(random, rowNames[table]);
  const where = { kind: 'column' as const, table, row, column: of.column };
  const name = `${table}.${of.column}`;
  if (of.value === undefined) {
    const most = Math.min(of.most, 3);
    const count = most === 1 ? 1 : random.integer(1, most);
    const value = Array.from({ length: count }, () => drawAtom(random, of.key, name));
    return { ...where, value: [...new Set(value)] };
  }
  const drawnKey =
    key ??
    (keyWords[name] === undefined
      ? drawAtom(random, of.key, `${name} key`)
      : pick(random, keyWords[name]));
  return { ...where, key: drawnKey, value: [drawAtom(random, of.value, `${name}:${drawnKey}`)] };
}

const numbers = [0, 1, 2, 5, 10, 20, 64, 300, 1400, 1500, 4095, 65_535, 4_294_967_295] as const;
const anyText = ['true', 'x', '1', '-1', '', 'a,b=c "d"', 'off'] as const;

function drawAtom(random: Random, type: AtomType, name: string): string {
  const { least = 0, most = 0x7fff_ffff, words: allowed, refTable } = type;
  if (allowed !== undefined) return pick(random, allowed);
  if (refTable !== undefined && isTable(refTable))
    return idOf(refTable, pick(random, rowNames[refTable]));
  const own = words[name];
  if (own !== undefined) return pick(random, own);
  switch (type.type) {
    case 'boolean':
      return pick(random, ['true', 'false']);
    case 'integer':
      return String(pick(random, [least, ...numbers.filter((one) => one >= least && one <= most)]));
    default:
      return pick(random, anyText);
  }
}
