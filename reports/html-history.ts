/**
 * The history of a store as one page with nothing to fetch: a heat map of points and nights, trends
 * of measurements and of counted packets, and a table of all of it, each point with its run folder.
 */
import { levelOf, measureName } from '../harness/history/measure-changes.js';
import { pointOf } from '../harness/history/changes.js';
import type { HistoryRow } from '../harness/history/history-row.js';
import { html, raw, type Markup } from './html/markup.js';

/** What the page shows: rows of points and of measurements, in order of time. */
export interface HistoryPage {
  readonly rows: readonly HistoryRow[];
  readonly nights: readonly { readonly night: string; readonly at: string }[];
}

export async function renderHistoryPage({ rows, nights }: HistoryPage): Promise<string> {
  const points = rows.filter(({ level }) => level === 'point');
  const measures = rows.filter(({ level }) => level === 'measure');
  const names = [...new Set(points.map(pointOf))];
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
            From ${nights[0]?.at ?? 'none'} to ${nights.at(-1)?.at ?? 'none'}: ${names.length} points.
          </p>
          <h2>Points and nights</h2>
          <div class="chart" tabindex="0" role="region" aria-label="Heat map of points and nights">
            ${raw(await heatMap(names, points, nights))}
          </div>
          <p>
            ✔ conforms, ✖ diverges, ? has no verdict, blank was not run. A mark in the table below
            leads to the folder of its run.
          </p>
          <div class="chart" tabindex="0" role="region" aria-label="Table of points and nights">
            ${verdictTable(names, points, nights)}
          </div>
          ${await measureCharts(measures)}
        </main>
      </body>
    </html> `;
  return page.markup;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif;
  --good: #1a6d33; --bad: #b3261e; --open: #7a5900; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 80rem; background: Canvas; color: CanvasText; }
table { border-collapse: collapse; } th, td { padding: .1rem .5rem; text-align: left; border: 1px solid; }
td { text-align: center; } .chart { overflow-x: auto; } .chart svg { background: #fff; max-width: none; }
.conforms { color: var(--good); } .diverges { color: var(--bad); } .inconclusive { color: var(--open); }
@media (prefers-color-scheme: dark) { :root { --good: #7ddc95; --bad: #ff8a80; --open: #ffd54f; } }
@media print { .chart { overflow: visible; } @page { size: landscape; } }
`;

const marks = { conforms: '✔', diverges: '✖', inconclusive: '?', 'known-divergence': '✔' } as const;

function verdictTable(
  names: readonly string[],
  points: readonly HistoryRow[],
  nights: HistoryPage['nights'],
): Markup {
  const byPlace = new Map(points.map((row) => [JSON.stringify([pointOf(row), row.night]), row]));
  return html`<table>
    <thead>
      <tr>
        <th scope="col">point</th>
        ${nights.map(({ at }) => html`<th scope="col">${at.slice(0, 10)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${names.map(
        (name) =>
          html`<tr>
            <th scope="row">${name}</th>
            ${nights.map(({ night }) => cellOf(byPlace.get(JSON.stringify([name, night]))))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function cellOf(row: HistoryRow | undefined): Markup {
  if (row === undefined) return html`<td></td>`;
  const { verdict, folder, night, trace } = row;
  const label = `${verdict}, trace ${trace.slice(0, 8)}, ${folder || 'no run folder'}`;
  const mark = html`<span class="${verdict}" aria-hidden="true">${marks[verdict]}</span>`;
  return html`<td>
    ${
      folder === ''
        ? mark
        : html`<a href="${folder}" title="${label}" aria-label="${night}: ${label}">${mark}</a>`
    }
  </td>`;
}

const widthPerNight = 36;
const heightPerPoint = 26;

/** Drawn here, so that the page needs no script. */
async function draw(width: number, height: number, option: object): Promise<string> {
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({ animation: false, ...option });
  const drawn = chart.renderToSVGString();
  chart.dispose();
  return drawn;
}

async function heatMap(
  names: readonly string[],
  points: readonly HistoryRow[],
  nights: HistoryPage['nights'],
): Promise<string> {
  const value = { conforms: 0, 'known-divergence': 0, inconclusive: 1, diverges: 2 } as const;
  const places = new Map(nights.map(({ night }, index) => [night, index]));
  const rows = new Map(names.map((name, index) => [name, index]));
  return await draw(480 + widthPerNight * nights.length, 90 + heightPerPoint * names.length, {
    grid: { left: 420, right: 20, top: 10, bottom: 70 },
    xAxis: {
      type: 'category',
      data: nights.map(({ at }) => at.slice(0, 10)),
      axisLabel: { rotate: 60 },
    },
    yAxis: {
      type: 'category',
      data: [...names],
      inverse: true,
      axisLabel: { width: 400, overflow: 'truncate' },
    },
    visualMap: {
      show: false,
      type: 'piecewise',
      pieces: [
        { value: 0, color: '#7fbf8e' },
        { value: 1, color: '#e6c35c' },
        { value: 2, color: '#c0392b' },
      ],
    },
    series: [
      {
        type: 'heatmap',
        data: points.map((row) => [
          places.get(row.night) ?? 0,
          rows.get(pointOf(row)) ?? 0,
          value[row.verdict],
        ]),
        itemStyle: { borderColor: '#ffffff', borderWidth: 2 },
      },
    ],
  });
}

/** A line a measurement: its median night by night. */
async function measureCharts(measures: readonly HistoryRow[]): Promise<readonly Markup[]> {
  const charts: Markup[] = [];
  for (const name of new Set(measures.map(measureName))) {
    const own = measures.filter((row) => measureName(row) === name && row.samples.length > 0);
    const [first] = own;
    const unit = first?.baseline.length === 0 ? first.unit : 'times the baseline';
    const drawn = await draw(900, 260, {
      grid: { left: 90, right: 20, top: 30, bottom: 70 },
      xAxis: {
        type: 'category',
        data: own.map(({ at }) => at.slice(0, 10)),
        axisLabel: { rotate: 60 },
      },
      yAxis: { type: 'value', name: unit, scale: true },
      series: [{ type: 'line', data: own.map(levelOf) }],
    });
    charts.push(
      html`<h2>${name}</h2>
        <div class="chart" tabindex="0" role="region" aria-label="${name} night by night">
          ${raw(drawn)}
        </div>`,
    );
  }
  return charts;
}
