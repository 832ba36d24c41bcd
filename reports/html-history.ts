/**
 * The history of a store as one page with nothing to fetch: heat maps of points and nights and of
 * scenarios and versions, trends of measurements and durations, and tables of all of it, in which
 * each point leads to its run folder.
 */
import { measureName } from '../harness/history/measure-changes.js';
import { pointOf } from '../harness/history/changes.js';
import type { HistoryRow } from '../harness/history/history-row.js';
import { arrowKeys } from './arrow-keys.js';
import { drawHeatMap, drawMeasure, drawNights } from './history-charts.js';
import { html, raw, type Markup } from './html/markup.js';
import { verdictGrid, type Grid } from './verdict-grid.js';

/** What the page shows: rows of points and of measurements, in order of time. */
export interface HistoryPage {
  readonly rows: readonly HistoryRow[];
  readonly nights: readonly { readonly night: string; readonly at: string }[];
  /** Where the page finds what there is of a run, by its folder. */
  readonly linkOf: (folder: string) => string | undefined;
}

export async function renderHistoryPage({ rows, nights, linkOf }: HistoryPage): Promise<string> {
  const points = rows.filter(({ level }) => level === 'point');
  const measures = rows.filter(({ level }) => level === 'measure');
  const byNight = gridOfNights(points, nights);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>History of ${nights.length} nights</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <main>
          <h1>History of ${nights.length} nights</h1>
          <p>
            From ${nights[0]?.at ?? 'none'} to ${nights.at(-1)?.at ?? 'none'}:
            ${byNight.rows.length} points. ✔ conforms, ✖ diverges, ? has no verdict, blank was not
            run. A mark in a table leads to what there is of its run; in a table, arrow keys, Home and
            End move.
          </p>
          ${await sectionOf('Scenarios and versions', gridOfVersions(points), linkOf)}
          ${await sectionOf('Points and nights', byNight, linkOf)}
          ${await trends(points, measures, nights)}
        </main>
        <script>
          ${raw(arrowKeys)};
        </script>
      </body>
    </html> `;
  return page.markup;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif;
  --good: #1a6d33; --bad: #b3261e; --open: #7a5900; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 80rem; background: Canvas; color: CanvasText; }
table { border-collapse: collapse; } th, td { padding: .1rem .3rem; text-align: left; border: 1px solid; }
thead th[scope=col]:not(:first-child) { writing-mode: vertical-rl; padding: .3rem .1rem; }
tbody th { white-space: nowrap; position: sticky; left: 0; background: Canvas; }
td { text-align: center; } .chart { overflow-x: auto; } .chart svg { background: #fff; max-width: none; }
.conforms { color: var(--good); } .diverges { color: var(--bad); } .inconclusive { color: var(--open); }
@media screen and (prefers-color-scheme: dark) {
  :root { --good: #7ddc95; --bad: #ff8a80; --open: #ffd54f; }
  .chart svg { background: #1b1b1b; } .chart svg text { fill: #ddd !important; } }
@media print { :root { color-scheme: light; } .chart { overflow: visible; }
  .chart svg { max-width: 100%; height: auto; } table { font-size: 7px; }
  th, td { padding: 0 1px !important; } @page { size: landscape; margin: 1cm; } }
`;

async function sectionOf(
  title: string,
  grid: Grid,
  linkOf: HistoryPage['linkOf'],
): Promise<Markup> {
  return html`<h2>${title}</h2>
    <div class="chart" tabindex="0" role="region" aria-label="Heat map: ${title}">
      ${raw(await drawHeatMap(grid))}
    </div>
    <p></p>
    <div class="chart">${verdictGrid(title, grid, linkOf)}</div>`;
}

function gridOfNights(points: readonly HistoryRow[], nights: HistoryPage['nights']): Grid {
  const days = new Map(nights.map(({ night, at }) => [night, `${at.slice(0, 10)} ${night}`]));
  return {
    corner: 'point',
    rows: [...new Set(points.map(pointOf))],
    columns: nights.map(({ at }) => at.slice(0, 10)),
    cells: points.map((row) => ({
      row: pointOf(row),
      column: nights.findIndex(({ night }) => night === row.night),
      name: days.get(row.night) ?? row.night,
      shown: row,
    })),
  };
}

/** The last night of each point. */
function gridOfVersions(points: readonly HistoryRow[]): Grid {
  const versionOf = ({ backend, image, versions }: HistoryRow) =>
    `${backend}:${image} ${versions['ovs-vswitchd'] ?? 'no version'}`;
  const scenarioOf = ({ scenario, axes, seed }: HistoryRow) =>
    `${[scenario, axes].join(' ').trim()}, seed ${seed}`;
  const last = [...new Map(points.map((row) => [pointOf(row), row])).values()];
  const columns = [...new Set(last.map(versionOf))].sort();
  return {
    corner: 'scenario',
    rows: [...new Set(last.map(scenarioOf))],
    columns,
    cells: last.map((row) => ({
      row: scenarioOf(row),
      column: columns.indexOf(versionOf(row)),
      name: `${versionOf(row)}, ${row.night}`,
      shown: row,
    })),
  };
}

/** A line a measurement, and one of how long all points of a night took. */
async function trends(
  points: readonly HistoryRow[],
  measures: readonly HistoryRow[],
  nights: HistoryPage['nights'],
): Promise<readonly Markup[]> {
  const sumOf = (night: string) =>
    points.reduce((sum, row) => sum + (row.night === night ? (row.duration_ms ?? 0) : 0), 0);
  const durations = nights.map(({ night }) => sumOf(night) / 1000);
  const charts: [string, string][] = durations.some((seconds) => seconds > 0)
    ? [['Durations of all points', await drawNights('s', nights, durations)]]
    : [];
  for (const name of new Set(measures.map(measureName)))
    charts.push([name, await drawMeasure(measures.filter((row) => measureName(row) === name))]);
  return charts.map(
    ([name, drawn]) =>
      html`<h2>${name}</h2>
        <div class="chart" tabindex="0" role="region" aria-label="${name} night by night">
          ${raw(drawn)}
        </div>`,
  );
}
