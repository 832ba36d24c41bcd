// Goal: an acknowledgement hides what it names until it expires, and nothing else. Method: changes
// of rows, entries that fit and that nearly fit.
import t from 'tap';
import { judgeChanges, readAcknowledged } from './acknowledged.js';
import { changesBetween } from './changes.js';
import { sampleRow } from './sample-rows.js';

const inputs = { image: 'a', program: 'b', plan: 'other' };
const before = ['ping/p1/p2', 'tcp/p1/p2'].map((vector) => sampleRow({ vector }));
const now = before.map((row) => ({ ...row, inputs, verdict: 'diverges' as const }));
const changes = changesBetween(before, now);
const left = (text: string, today = '2026-12-01', all = changes) =>
  judgeChanges(all, readAcknowledged(text, 'known.yaml'), today).changes.length;

const whole = '{ scenario: mine/wall, reason: known, expires: 2027-01-31 }';

void t.test('what it names, until it expires', (t) => {
  t.equal(changes.length, 1);
  t.equal(left(`[${whole}]`), 0);
  t.equal(left(`[${whole}]`, '2027-01-31'), 1, 'from that day on it is news');
  t.equal(left('[{ scenario: mine/wall, kind: counters, reason: r, expires: 2027-01-31 }]'), 1);
  t.equal(left('[{ scenario: mine/wall, image: sid, reason: r, expires: 2027-01-31 }]'), 1);
  t.equal(
    left('[{ scenario: mine/wall, vector: ping/p1/p2, reason: r, expires: 2027-01-31 }]'),
    1,
    'one vector of two',
  );
  t.end();
});

void t.test('a flip without a change of inputs stays an alarm', (t) => {
  const flip = changesBetween(
    before,
    before.map((row) => ({ ...row, verdict: 'diverges' as const })),
  );
  t.equal(left(`[${whole}]`, '2026-12-01', flip), 1);
  t.end();
});

void t.test('an entry that no change is like is named', (t) => {
  const unmatched = (text: string) =>
    judgeChanges(changes, readAcknowledged(text, 'known.yaml'), '2026-12-01').unmatched;
  t.same(unmatched(`[${whole}]`), []);
  t.same(
    unmatched(`[${whole}, { scenario: mine/wal, reason: r, expires: 2027-01-31 },
      { scenario: mine/wall, vector: udp/p1/p2, image: sid, reason: r, expires: 2026-01-31 }]`),
    ['mine/wal', 'mine/wall, udp/p1/p2, image sid'],
  );
  t.end();
});

void t.test('what is wrong has a place', (t) => {
  t.throws(() => left('[{ scenario: a, reason: r, expires: soon }]'), /known\.yaml:1:\d+: .*soon/);
  t.throws(() => left('[{ scenario: a, expires: 2027-01-31 }]'), /known\.yaml:1:2: /);
  t.end();
});
