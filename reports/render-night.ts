/** What `flowbed nightly` prints at its end: a line for the switches of each image. */
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import { median } from '../harness/history/change-points.js';
import type { HistoryRow } from '../harness/history/history-row.js';
import { pointOf } from '../harness/history/changes.js';

const { bold, dim, green, red, yellow } = colors;

export interface NightView {
  readonly night: string;
  readonly rows: readonly HistoryRow[];
  /** Points that did not begin, for the time was up. */
  readonly unplayed: readonly string[];
}

export function renderNight(view: NightView): string {
  const { night, rows, unplayed } = shown(view);
  const points = rows.filter(({ level }) => level === 'point');
  const measures = rows.filter(({ level }) => level === 'measure');
  const vectors = rows.filter(({ level }) => level === 'vector').length;
  const switches = [...new Set(points.map(switchesOf))];
  return [
    `night ${bold(night)}: ${points.length} points, ${vectors} vectors`,
    ...switches.map((name) =>
      renderSwitches(
        name,
        points.filter((row) => switchesOf(row) === name),
      ),
    ),
    ...points.filter(({ verdict }) => verdict !== 'conforms').map(renderProblem),
    ...measures.map(renderMeasure),
    ...(unplayed.length === 0
      ? []
      : [
          `  ${yellow('?')} the time was up before ${unplayed.length} points: ${unplayed[0] ?? ''}` +
            (unplayed.length > 1 ? ' and others' : ''),
        ]),
  ].join('\n');
}

function switchesOf({ backend, image }: HistoryRow): string {
  return `${backend}:${image}`;
}

function renderSwitches(name: string, points: readonly HistoryRow[]): string {
  const conforming = points.filter(({ verdict }) => verdict === 'conforms').length;
  const versions = [
    ...new Set(
      points.flatMap(({ versions }) => Object.entries(versions).map((one) => one.join(' '))),
    ),
  ].sort();
  const mark = markOf(
    points.some(({ verdict }) => verdict === 'diverges')
      ? 'diverges'
      : conforming === points.length
        ? 'conforms'
        : 'inconclusive',
  );
  const durations = points.reduce((sum, row) => sum + (row.duration_ms ?? 0), 0);
  return (
    `  ${mark} ${name}  ${conforming} of ${points.length} conform` +
    dim(`  ${(durations / 1000).toFixed(1)} s  ${versions.join(', ')}`)
  );
}

function renderProblem(row: HistoryRow): string {
  const gating = row.gates ? '' : dim(' (does not gate)');
  return (
    `      ${pointOf(row)}: ${row.verdict}${gating}${row.folder && dim(`  ${row.folder}`)}` +
    (row.summary === '' ? '' : `\n        ${row.summary}`)
  );
}

function renderMeasure({ scenario, samples, unit, verdict, summary }: HistoryRow): string {
  const value =
    samples.length === 0
      ? 'no sample'
      : `median ${Number(median(samples).toPrecision(4))} ${unit} of ${samples.length} samples`;
  return `  ${markOf(verdict)} ${scenario}  ${value}${summary && `: ${summary}`}`;
}

function markOf(verdict: string): string {
  if (verdict === 'diverges') return red('✖');
  return verdict === 'inconclusive' ? yellow('?') : green('✔');
}
