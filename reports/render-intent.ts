/** What `flowbed intent` prints: L0's truth table, for people and as JSON. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson, shown } from '../harness/base/text/visible.js';
import {
  countPromises,
  promiseKindOf,
  promiseKinds,
  promiseLetters,
  type PromiseKind,
} from '../harness/domain/promise-kind.js';
import type { Matrix } from '../harness/run/coverage/reachability-matrix.js';
import type { TruthCell, TruthTable } from '../harness/run/coverage/truth-table.js';

const { bold, dim } = colors;
const lineLength = 100;
/** How many cells of one reason are named before the rest is only counted. */
const named = 3;

/**
 * The letters, the columns by number, a matrix for all services that have the same, and the cells
 * that need a reason.
 */
export function renderIntent(table: TruthTable): string {
  const { network, controlPlane, cells, matrices } = shown(table);
  const numbers = numbered(matrices);
  return [
    `${bold(network)}  ${cells.length} cells: ${countPromises(cells.map(({ intent }) => intent))}`,
    '',
    ...promiseKinds.map((kind) => `  ${promiseLetters[kind]} ${kind}`),
    `  ${notAskedMark} not asked`,
    '',
    ...wrapped([...numbers].map(([name, number]) => `${number} ${name}`)),
    ...groupEqualMatrices(matrices).flatMap(({ services, matrix }) => [
      '',
      ...wrapped(services).map(bold),
      ...renderMatrix(matrix, numbers),
    ]),
    ...renderReasons(cells, controlPlane),
  ].join('\n');
}

const notAskedMark = '·';

/** Whoever stands in a matrix, by a number each: sources first, in order. */
function numbered(matrices: readonly Matrix[]): ReadonlyMap<string, number> {
  const names = new Set([
    ...matrices.flatMap(({ sources }) => sources),
    ...matrices.flatMap(({ destinations }) => destinations),
  ]);
  return new Map([...names].map((name, index) => [name, index + 1]));
}

/** Services whose tables are the same, in the order of the first of each. */
function groupEqualMatrices(
  matrices: readonly Matrix[],
): readonly { readonly services: readonly string[]; readonly matrix: Matrix }[] {
  const found = new Map<string, { readonly services: string[]; readonly matrix: Matrix }>();
  for (const matrix of matrices) {
    const key = JSON.stringify([matrix.sources, matrix.destinations, matrix.promised]);
    const same = found.get(key);
    if (same === undefined) found.set(key, { services: [matrix.service], matrix });
    else same.services.push(matrix.service);
  }
  return [...found.values()];
}

/** The numbers of columns stand from top to bottom. */
function renderMatrix(
  { sources, destinations: written, promised }: Matrix,
  numbers: ReadonlyMap<string, number>,
): readonly string[] {
  const numberOf = (name: string) => String(numbers.get(name) ?? '');
  const columns = [...written.keys()].sort(
    (a, b) => Number(numberOf(written[a] ?? '')) - Number(numberOf(written[b] ?? '')),
  );
  const destinations = columns.map((column) => written[column] ?? '');
  const digits = Math.max(...[...sources, ...destinations].map((name) => numberOf(name).length));
  const labels = sources.map((name) => `${numberOf(name).padStart(digits)} ${name}`);
  const width = Math.max(...labels.map(({ length }) => length));
  const heads = Array.from({ length: digits }, (_, place) =>
    destinations.map((name) => numberOf(name).padStart(digits)[place] ?? ' ').join(''),
  );
  return [
    ...heads.map((head) => dim(`  ${' '.repeat(width)}  ${head}`.trimEnd())),
    ...promised.map(
      (row, index) =>
        `  ${(labels[index] ?? '').padEnd(width)}  ${columns
          .map((column) => row[column])
          .join('')
          .replaceAll(' ', notAskedMark)}`,
    ),
  ];
}

const needReasons: readonly PromiseKind[] = ['may pass', 'known to diverge', 'nothing promised'];

/** Each reason once, with the cells that it is of. */
function renderReasons(cells: readonly TruthCell[], controlPlane: string): readonly string[] {
  return needReasons.flatMap((kind) => {
    const reasons = new Map<string, string[]>();
    for (const { id, intent } of cells) {
      if (promiseKindOf(intent) !== kind) continue;
      const why = whyOf(intent, controlPlane);
      const ids = reasons.get(why) ?? [];
      reasons.set(why, ids);
      ids.push(id);
    }
    return [...reasons].flatMap(([why, ids]) => {
      const more = ids.length > named ? ` and ${ids.length - named} more` : '';
      return [
        '',
        `${promiseLetters[kind]} ${kind}: ${why}`,
        `    ${ids.slice(0, named).join(', ')}${more}`,
      ];
    });
  });
}

function whyOf(intent: TruthCell['intent'], controlPlane: string): string {
  switch (intent.kind) {
    case 'balanced':
      return `${intent.why}: ${intent.lost ?? ''}`;
    case 'contradicted': {
      const { by, instead } = intent;
      return `${by} of ${controlPlane}` + ('why' in instead ? `: ${instead.why}` : '');
    }
    default:
      return 'why' in intent ? intent.why : '';
  }
}

function wrapped(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length + 2 <= lineLength)
      lines[lines.length - 1] = `${line}  ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * `{schema, network, controlPlane, counts, matrices: [{service, sources, destinations, promised}],
 * cells: [{id, promise, stimulus, intent}]}`.
 */
export function intentAsJson({ network, controlPlane, cells, matrices }: TruthTable): string {
  const cellDocuments = cells.map(({ id, stimulus, intent }) => ({
    id,
    promise: promiseKindOf(intent),
    stimulus,
    intent,
  }));
  const counts = Object.fromEntries(
    promiseKinds.map((kind) => [
      kind,
      cellDocuments.filter(({ promise }) => promise === kind).length,
    ]),
  );
  return printedJson({
    schema: 'flowbed/intent/1',
    network,
    controlPlane,
    counts,
    matrices,
    cells: cellDocuments,
  });
}
