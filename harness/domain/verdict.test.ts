// Goal: nothing conforms unless everything was compared and found alike, in a part as in the whole.
// Method: counts with one comparison more or less, each kind of verdict beside each other; the
// names that reports rely on.
import t from 'tap';
import {
  addCounts,
  aspects,
  noCounts,
  verdictOn,
  whatIsMissing,
  worstVerdict,
  type Counts,
  type Difference,
} from './verdict.js';
import { passNames } from './test-vector.js';

const counts = (changes: Partial<Counts>): Counts => ({ ...noCounts, ...changes });
const difference: Difference = {
  aspect: 'frames',
  between: 'model and switch',
  summary: '',
  expected: '',
  actual: '',
  afterDivergence: false,
};

void t.test('what is missing', (t) => {
  t.equal(whatIsMissing(noCounts), undefined);
  t.equal(
    whatIsMissing(counts({ frames: { expected: 5, made: 3, skipped: 2 } })),
    undefined,
    'skipped for a reason',
  );
  t.equal(
    whatIsMissing(counts({ frames: { expected: 5, made: 4, skipped: 0 } })),
    'only 4 of 5 comparisons of frames were made',
  );
  t.equal(
    whatIsMissing(
      counts({
        frames: { expected: 5, made: 3, skipped: 1 },
        macs: { expected: 1, made: 0, skipped: 0 },
      }),
    ),
    'only 3 of 5 comparisons of frames and 0 of 1 comparisons of macs were made',
  );
  t.ok(
    whatIsMissing(counts({ frames: { expected: 5, made: 6, skipped: 0 } })),
    'more than was expected is not right either',
  );
  t.end();
});

void t.test('verdicts', (t) => {
  const [all, some] = [
    counts({ frames: { expected: 5, made: 5, skipped: 0 } }),
    counts({ frames: { expected: 5, made: 4, skipped: 0 } }),
  ];
  t.same(
    [
      verdictOn([], all),
      verdictOn([], some),
      verdictOn([difference], all),
      verdictOn([difference], some),
    ],
    ['conforms', 'inconclusive', 'diverges', 'diverges'],
  );
  t.equal(worstVerdict(['conforms', 'conforms']), 'conforms');
  t.equal(worstVerdict(['conforms', 'inconclusive', 'conforms']), 'inconclusive');
  t.equal(worstVerdict(['inconclusive', 'diverges', 'conforms']), 'diverges');
  t.equal(worstVerdict(['conforms']), 'conforms');
  t.equal(worstVerdict([]), 'inconclusive', 'of nothing');
  t.end();
});

void t.test('counts are added aspect by aspect', (t) => {
  const sum = addCounts([
    counts({ frames: { expected: 1, made: 2, skipped: 3 } }),
    counts({
      frames: { expected: 10, made: 20, skipped: 30 },
      macs: { expected: 7, made: 0, skipped: 0 },
    }),
  ]);
  t.same(
    sum,
    counts({
      frames: { expected: 11, made: 22, skipped: 33 },
      macs: { expected: 7, made: 0, skipped: 0 },
    }),
  );
  t.same(addCounts([]), noCounts);
  t.same(
    Object.values(noCounts),
    aspects.map(() => ({ expected: 0, made: 0, skipped: 0 })),
  );
  t.end();
});

void t.test('names that reports rely on', (t) => {
  t.same(aspects, [
    'program',
    'intent',
    'frames',
    'silence',
    'packet-ins',
    'counters',
    'cache',
    'connections',
    'macs',
    'ovn-trace',
  ]);
  t.same(passNames, ['cold', 'again', 'cached', 'sibling']);
  t.end();
});
