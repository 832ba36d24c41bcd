/** Who reaches whom as CSV (RFC 4180): a line a pair of hosts and service, for spreadsheets. */
import { promiseKinds, promiseLetters, type PromiseKind } from '../harness/domain/promise-kind.js';
import type { RunReport } from '../harness/run/records/run-report.js';

const head = ['scenario', 'axes', 'service', 'source', 'destination', 'promised', 'observed'];

/** The words of report.json's letters. */
const promises = new Map<string, PromiseKind>(
  promiseKinds.map((kind) => [promiseLetters[kind], kind]),
);
const outcomes: Readonly<Record<string, string>> = {
  '+': 'answered',
  r: 'refused',
  d: 'delivered',
  '-': 'nothing',
  '?': 'not played to its end',
};

export function renderReachabilityCsv({ scenarios }: RunReport): string {
  const rows = scenarios.flatMap(({ name, axes, matrices = [] }) =>
    matrices.flatMap(({ service, sources, destinations, promised, observed = [] }) =>
      sources.flatMap((source, row) =>
        destinations.flatMap((destination, column) => {
          const promise = promised[row]?.[column] ?? ' ';
          const outcome = observed[row]?.[column] ?? ' ';
          return promise === ' '
            ? []
            : [
                [
                  ...[name, axesText(axes), service, source, destination],
                  ...[promises.get(promise) ?? promise, outcomes[outcome] ?? ''],
                ],
              ];
        }),
      ),
    ),
  );
  return [head, ...rows].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function axesText(axes: Readonly<Record<string, string>>): string {
  return Object.entries(axes)
    .map(([axis, value]) => `${axis}=${value}`)
    .join(' ');
}

/** Quoted where it has to be; never a formula for the program that opens it. */
function cell(text: string): string {
  const harmless = /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
