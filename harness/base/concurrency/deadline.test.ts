// Goal: what is waited for too long is given up, and nothing is that had come while this process
// was busy. Method: work that never ends; and work that ends as soon as the process can see it,
// which it is kept from for longer than the limit.
import t from 'tap';
import { withDeadline } from './deadline.js';

void t.test('a limit', async (t) => {
  await t.rejects(withDeadline(new Promise(() => undefined), 20, 'nothing'), {
    name: 'Unavailable',
    message: 'gave up after 0.02 s waiting for nothing',
  });
  t.equal(await withDeadline(Promise.resolve(7), 20, 'seven'), 7);
});

void t.test('while the process is busy the limit does not pass', async (t) => {
  const seen = new Promise((resolve) =>
    setImmediate(() =>
      setImmediate(() => {
        resolve('seen');
      }),
    ),
  );
  const waiting = withDeadline(seen, 200, 'what has come');
  let sum = 0;
  for (let index = 0; index < 1e9; index++) sum += index & 1;
  t.equal(sum, 5e8, 'busy for longer than the limit');
  t.equal(await waiting, 'seen');
});
