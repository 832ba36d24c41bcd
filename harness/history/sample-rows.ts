/** Rows for tests: vectors of one point, as a night leaves them. */
import { historyFormat, type HistoryRow } from './history-row.js';

const sample: HistoryRow = {
  format: historyFormat,
  night: 'night-1',
  at: '2026-11-01T02:00:00Z',
  machine: 'lab',
  level: 'vector',
  scenario: 'mine/wall',
  axes: 'nodes=2',
  backend: 'sim',
  image: 'trixie',
  seed: 1,
  vector: 'ping/p1/p2',
  versions: { 'ovs-vswitchd': '3.5.0' },
  inputs: { image: 'a', program: 'b', plan: 'c' },
  verdict: 'conforms',
  gates: true,
  trace: 'd'.repeat(64),
  counters: { 'n1 br-int table=0, priority=0': 6 },
  work: { 'frames seen': 12 },
  converged_us: 70,
  samples: [],
  baseline: [],
  unit: '',
  duration_ms: null,
  memory_kib: null,
  aspect: '',
  place: '',
  summary: '',
  folder: 'runs/1',
};

export function sampleRow(changed: Partial<HistoryRow> = {}): HistoryRow {
  return { ...sample, ...changed };
}
