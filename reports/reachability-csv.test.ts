// Goal: each cell of the matrices is one line, with both its letters in words, and no text breaks a
// line or becomes a formula. Method: a run of antrea/encap with the model in place of switches,
// read back by a small reader of RFC 4180; hostile names.
import t from 'tap';
import { sampleRun } from '../harness/explain/sample-run.js';
import encap from '../scenarios/antrea/encap.js';
import { renderReachabilityCsv } from './reachability-csv.js';

const axes = { nodes: '2', tunnel: 'geneve' };
const only = ['ping/p1/p2', 'ping/p1/p4', 'ping/p4/p1'];
const { report } = await sampleRun([{ scenario: encap, axes, only }]);

function read(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const cells = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g;
  let row: string[] = [];
  for (const [, cell = '', end] of text.matchAll(cells)) {
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

void t.test('a line a cell', (t) => {
  const [head, ...rows] = read(renderReachabilityCsv(report));
  t.same(head, [
    ...['scenario', 'axes', 'service', 'source', 'destination', 'promised', 'observed'],
  ]);
  const point = ['antrea/encap', 'nodes=2 tunnel=geneve', 'ping'];
  t.same(rows, [
    [...point, 'p1', 'p2', 'must pass', 'answered'],
    [...point, 'p1', 'p4', 'must pass', 'answered'],
    [...point, 'p4', 'p1', 'must pass', 'answered'],
  ]);
  t.end();
});

void t.test('hostile names', (t) => {
  const [scenario] = report.scenarios;
  const [matrix] = scenario?.matrices ?? [];
  if (scenario === undefined || matrix === undefined) throw new Error('it has a matrix');
  const sources = ['=1+1,"a"\r\nb', ...matrix.sources.slice(1)];
  const hostile = { ...report, scenarios: [{ ...scenario, matrices: [{ ...matrix, sources }] }] };
  const rows = read(renderReachabilityCsv(hostile));
  t.equal(rows.length, 4);
  t.equal(rows[1]?.[3], `'=1+1,"a"\r\nb`);
  t.end();
});
