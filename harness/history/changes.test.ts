// Goal: whatever changes in a vector is named, with what explains it; and nothing else is. Method:
// a night of rows, and the same with one thing planted.
import t from 'tap';
import { changesBetween } from './changes.js';
import type { HistoryRow } from './history-row.js';
import { sampleRow } from './sample-rows.js';

const vectors = ['ping/p1/p2', 'ping/p1/p3', 'tcp/p1/p2'];
const night = (changed: Partial<HistoryRow> = {}): readonly HistoryRow[] =>
  vectors.map((vector) => sampleRow({ vector, ...changed }));

void t.test('two equal nights', (t) => {
  t.same(changesBetween(night(), night({ night: 'night-2', at: '2026-11-02T02:00:00Z' })), []);
  t.end();
});

const planted: readonly (readonly [string, Partial<HistoryRow>, RegExp])[] = [
  ['verdict', { verdict: 'diverges' }, /^conforms → diverges$/],
  ['counters', { counters: { 'n1 br-int table=0, priority=0': 7 } }, /priority=0: 6 → 7 packets$/],
  ['counters', { counters: {} }, /priority=0: 6 → 0 packets$/],
  ['convergence', { converged_us: 90 }, /^70 → 90 µs/],
  ['work', { work: { 'frames seen': 13 } }, /^frames seen: 12 → 13$/],
  ['trace', { trace: 'e'.repeat(64) }, /other observations/],
];

for (const [kind, changed, what] of planted)
  void t.test(`${kind} of one vector, and of all: one change`, (t) => {
    const inputs = { image: 'a', program: 'b', plan: 'other' };
    const one = night().map((row) =>
      row.vector === 'tcp/p1/p2' ? { ...row, ...changed, inputs } : row,
    );
    const [found, ...more] = changesBetween(night(), one);
    t.same(more, []);
    t.match(found, { kind, what, vectors: ['tcp/p1/p2'], explainedBy: ['plan'] });
    const all = changesBetween(night(), night({ ...changed, inputs }));
    t.same(
      all.map((change) => [change.kind, change.vectors]),
      [[kind, vectors]],
    );
    t.end();
  });

void t.test('what changed in a point and in its vectors is named once, for the vectors', (t) => {
  const work = { 'compared counters': 9 };
  const point = sampleRow({ level: 'point', vector: '', work });
  const changed = { work: { 'compared counters': 8 } };
  t.match(
    changesBetween([point, ...night({ work })], [{ ...point, ...changed }, ...night(changed)]),
    [{ kind: 'work', vectors }],
  );
  t.match(changesBetween([point], [{ ...point, ...changed }]), [{ kind: 'work', vectors: [] }]);
  t.end();
});

void t.test('without a change of inputs it is a flip', (t) => {
  const [found] = changesBetween(night(), night({ verdict: 'inconclusive' }));
  t.same(found?.explainedBy, []);
  t.end();
});

void t.test('what comes and goes', (t) => {
  const changes = changesBetween(
    night(),
    night()
      .slice(1)
      .concat(sampleRow({ vector: 'new' })),
  );
  t.same(
    changes.map(({ kind, vectors }) => [kind, vectors]),
    [
      ['came', ['new']],
      ['went', ['ping/p1/p2']],
    ],
  );
  t.end();
});
