/** What `flowbed history VECTOR` prints: a line a night, and what changed in it. */
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import { changesBetween, pointOf } from '../harness/history/changes.js';
import type { HistoryRow } from '../harness/history/history-row.js';

const { bold, dim, green, red, yellow } = colors;

/** @param rows in order of time. */
export function renderVectorHistory(vector: string, rows: readonly HistoryRow[]): string {
  const points = [...new Set(rows.map(pointOf))];
  return [
    bold(shown(vector)),
    ...points.flatMap((point) => [
      `  ${point}`,
      ...rows
        .filter((row) => pointOf(row) === point)
        .flatMap((row, index, all) => renderRow(shown(row), all[index - 1])),
    ]),
  ].join('\n');
}

function renderRow(row: HistoryRow, before: HistoryRow | undefined): readonly string[] {
  const mark =
    row.verdict === 'diverges'
      ? red('✖')
      : row.verdict === 'inconclusive'
        ? yellow('?')
        : green('✔');
  const [change] = before === undefined ? [] : changesBetween([before], [row]);
  const packets = Object.values(row.counters).reduce((sum, count) => sum + count, 0);
  return [
    `    ${mark} ${row.at}  ${row.trace.slice(0, 8) || 'no trace'}  ${packets} packets` +
      `  ${row.converged_us ?? '–'} µs  ${dim(row.folder)}`,
    ...(change === undefined
      ? []
      : [
          `        ${change.kind}: ${change.what}` +
            (change.explainedBy.length === 0
              ? red('  no input changed')
              : dim(`  changed as well: ${change.explainedBy.join(', ')}`)),
        ]),
  ];
}
