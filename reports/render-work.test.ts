// Goal: what vectors needed is readable: alike ones are one line, nothing that is zero is printed.
// Method: vectors with and without work, in another order than they are printed in.
import t from 'tap';
import type { VectorReport } from '../harness/run/judging/vector-report.js';
import { renderWork } from './render-work.js';

const vector = (id: string, work?: Record<string, number>) =>
  ({ id, ...(work === undefined ? {} : { work }) }) as VectorReport;

void t.test('lines', async (t) => {
  t.strictSame(renderWork([vector('ping/p1/p2'), vector('tcp/p1/p2')]), []);
  t.strictSame(
    renderWork([
      vector('tcp/p1/p2', { lookups: 19, nat: 0, outputs: 3 }),
      vector('ping/p1/p2', { lookups: 7, nat: 1 }),
      vector('ping/p1/p3', { lookups: 7, nat: 1 }),
      vector('ping/p1/p4', { lookups: 8, nat: 1 }),
      vector('non-ip/p1', { lookups: 0, nat: 0 }),
    ]),
    [
      '  work      non-ip/p1: nothing',
      '  work      ping/p1/p2 and 1 more: 7 lookups · 1 nat',
      '  work      ping/p1/p4: 8 lookups · 1 nat',
      '  work      tcp/p1/p2: 19 lookups · 3 outputs',
    ],
  );
});
