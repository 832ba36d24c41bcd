// Goal: what never comes true is given up and named, also in a world where asking takes no time,
// which no limit would end. Method: somebody who answers at once, and always the same.
import t from 'tap';
import { worldVariable } from '../world.js';
import { until } from './until.js';

void t.test('in a world where asking takes no time', async (t) => {
  process.env[worldVariable] = 'uml';
  t.teardown(() => delete process.env[worldVariable]);
  await t.rejects(
    until('spring', 300, () => Promise.resolve(['it is winter'])),
    { message: 'gave up after 0.3 s waiting for spring; it is winter' },
  );
});
