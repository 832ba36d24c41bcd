/** Who reaches whom, a table a service: sources down, destinations across, a letter a cell. */
import type { Observed } from '../../compare/observed.js';
import { promiseKindOf, promiseLetters, type PromisedIntent } from '../../domain/promise-kind.js';

/**
 * Rows are `sources`, and the letters of a row stand for `destinations`; a blank where nobody was
 * asked.
 */
export interface Matrix {
  /** `tcp-80`, `icmp`, `service`: the first word of the vectors' ids. */
  readonly service: string;
  readonly sources: readonly string[];
  /** As the ids say them: `p2`, `n1/host`, `default/web:http`. */
  readonly destinations: readonly string[];
  readonly promised: readonly string[];
  /** What was observed of the switches; missing where nothing was played. */
  readonly observed?: readonly string[];
}

/** What was observed of one: `?` where it was not played to its end. */
const observedLetters: Readonly<Record<Observed['kind'], string>> = {
  answered: '+',
  refused: 'r',
  rejected: 'r',
  delivered: 'd',
  nothing: '-',
};

/** A vector, or what would be one. */
export interface MatrixVector {
  /** `tcp-80/p1/p2`: what is asked for, by whom, and of whom. */
  readonly id: string;
  readonly stimulus: { readonly from: string };
  readonly intent: PromisedIntent;
  readonly observed?: Observed | undefined;
}

/**
 * In the order of the vectors. What is no question of one host to another, as frames of all kinds,
 * is in none.
 */
export function matricesOf(
  vectors: readonly MatrixVector[],
  played: 'played' | 'not played',
): readonly Matrix[] {
  const tables = new Map<string, Table>();
  for (const {
    id,
    stimulus: { from },
    intent,
    observed,
  } of vectors) {
    const cell = cellOf(id, from);
    if (cell === undefined) continue;
    const table: Table = tables.get(cell.service) ?? {
      sources: new Map(),
      destinations: new Map(),
      cells: [],
    };
    tables.set(cell.service, table);
    const [row, column] = [indexIn(table.sources, from), indexIn(table.destinations, cell.to)];
    table.cells.push({
      row,
      column,
      promised: promiseLetters[promiseKindOf(intent)],
      observed: observed === undefined ? '?' : observedLetters[observed.kind],
    });
  }
  return [...tables].map(([service, { sources, destinations, cells }]) => {
    const rows = (letter: (cell: Cell) => string) =>
      rowsOf(sources.size, destinations.size, cells, letter);
    return {
      service,
      sources: [...sources.keys()],
      destinations: [...destinations.keys()],
      promised: rows(({ promised }) => promised),
      ...(played === 'played' ? { observed: rows(({ observed }) => observed) } : {}),
    };
  });
}

interface Cell {
  readonly row: number;
  readonly column: number;
  readonly promised: string;
  readonly observed: string;
}

interface Table {
  /** Names, in the order in which they come, and their places. */
  readonly sources: Map<string, number>;
  readonly destinations: Map<string, number>;
  readonly cells: Cell[];
}

function cellOf(
  id: string,
  from: string,
): { readonly service: string; readonly to: string } | undefined {
  const [service = '', second, ...to] = id.split('/');
  return second === from && to.length > 0 ? { service, to: to.join('/') } : undefined;
}

function indexIn(names: Map<string, number>, name: string): number {
  const index = names.get(name) ?? names.size;
  names.set(name, index);
  return index;
}

function rowsOf(
  height: number,
  width: number,
  cells: readonly Cell[],
  letter: (cell: Cell) => string,
): readonly string[] {
  const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  for (const cell of cells) {
    const row = rows[cell.row];
    if (row !== undefined) row[cell.column] = letter(cell);
  }
  return rows.map((row) => row.join(''));
}
