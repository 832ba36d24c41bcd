/** Charts of a history as SVG, drawn here, so that the page needs nothing for them. */
import { levelOf } from '../harness/history/measure-changes.js';
import type { HistoryRow } from '../harness/history/history-row.js';
import type { Grid } from './verdict-grid.js';

const widthPerColumn = 36;
const heightPerRow = 26;

async function draw(width: number, height: number, option: object): Promise<string> {
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({ animation: false, ...option });
  const drawn = chart.renderToSVGString();
  chart.dispose();
  return drawn;
}

export async function drawHeatMap({ rows, columns, cells }: Grid): Promise<string> {
  const value = { conforms: 0, 'known-divergence': 0, inconclusive: 1, diverges: 2 } as const;
  const places = new Map(rows.map((name, index) => [name, index]));
  const labels = Math.max(...columns.map(({ length }) => length), 0) * 7;
  return await draw(
    480 + widthPerColumn * columns.length,
    20 + labels + heightPerRow * rows.length,
    {
      grid: { left: 420, right: 20, top: 10, bottom: labels },
      xAxis: { type: 'category', data: [...columns], axisLabel: { rotate: 60, interval: 0 } },
      yAxis: {
        type: 'category',
        data: [...rows],
        inverse: true,
        axisLabel: { width: 400, overflow: 'truncate', interval: 0 },
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
          data: cells.map(({ row, column, shown }) => [
            column,
            places.get(row) ?? 0,
            value[shown.verdict],
          ]),
          itemStyle: { borderColor: '#888888', borderWidth: 1 },
        },
      ],
    },
  );
}

/** Its median night by night, or that of its ratio to a baseline. */
export async function drawMeasure(rows: readonly HistoryRow[]): Promise<string> {
  const own = rows.filter(({ samples }) => samples.length > 0);
  const [first] = own;
  const unit = first?.baseline.length === 0 ? first.unit : 'times the baseline';
  return await drawNights(unit, own, own.map(levelOf));
}

export async function drawNights(
  unit: string,
  nights: readonly { readonly at: string }[],
  values: readonly number[],
): Promise<string> {
  return await draw(900, 260, {
    grid: { left: 90, right: 20, top: 30, bottom: 70 },
    xAxis: {
      type: 'category',
      data: nights.map(({ at }) => at.slice(0, 10)),
      axisLabel: { rotate: 60 },
    },
    yAxis: { type: 'value', name: unit, scale: true },
    series: [{ type: 'line', data: [...values] }],
  });
}
