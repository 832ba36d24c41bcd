// Goal: a link takes as long as its properties say, to the microsecond, and what is chance is the
// same for a seed. Method: frames one after another through links with one property each.
import t from 'tap';
import { openLink } from './link.js';

const frame = (bytes: number) => new Uint8Array(bytes);

void t.test('delay, rate, MTU, down', async (t) => {
  t.equal(openLink({ delayMs: 2.5 }, 1, 'n1')(frame(60), 7), 2500);
  const narrow = openLink({ rateMbit: 1 }, 1, 'n1');
  t.same(
    [narrow(frame(125), 0), narrow(frame(125), 0), narrow(frame(125), 5000)],
    [1000, 2000, 1000],
  );
  const short = openLink({ mtu: 1400 }, 1, 'n1');
  t.same([short(frame(1414), 0), short(frame(1415), 0)], [0, undefined]);
  t.equal(openLink({ state: 'down' }, 1, 'n1')(frame(60), 0), undefined);
});

void t.test('chance', async (t) => {
  const crossings = (seed: number) => {
    const link = openLink(
      { delayMs: 10, jitterMs: 2, lossPercent: 20, reorderPercent: 10 },
      seed,
      'n',
    );
    return Array.from({ length: 1000 }, () => link(frame(60), 0));
  };
  const seen = crossings(1);
  t.same(seen, crossings(1), 'the same seed');
  t.notSame(seen, crossings(2), 'another one');
  const lost = seen.filter((us) => us === undefined).length;
  const overtaking = seen.filter((us) => us === 0).length;
  t.ok(lost > 150 && lost < 250, `${lost} of 1000 are lost at 20 %`);
  t.ok(overtaking > 50 && overtaking < 120, `${overtaking} overtake at 10 % of the rest`);
  t.ok(seen.every((us) => us === undefined || us === 0 || (us >= 8000 && us <= 12_000)));
});
