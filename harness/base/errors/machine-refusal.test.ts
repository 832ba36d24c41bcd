// Goal: what the machine refuses is reported as that, with what to do about it, and nothing else is
// taken for it. Method: errors as Node.js makes them of real refusals, and errors that are none.
import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { BugInFlowbed, InputError, Unavailable } from './errors.js';
import { attempt } from './outcome.js';
import { refusedByMachine } from './machine-refusal.js';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

void t.test('errors of the system are refusals, with a remedy where there is one', async (t) => {
  t.match(
    refusedByMachine(
      thrownBy(() => {
        writeFileSync('/dev/full', 'x');
      }),
    ),
    { message: 'the machine refused: ENOSPC: no space left on device, write', remedies: [/df -h/] },
  );
  t.match(refusedByMachine(thrownBy(() => readFileSync('/nowhere/at/all'))), {
    message: /the machine refused: ENOENT.*\/nowhere\/at\/all/,
    remedies: [],
  });
  t.match(refusedByMachine(thrownBy(() => 'x'.repeat(2 ** 30))), {
    message: 'too much for this program: Invalid string length',
  });
  const own = new Unavailable('gone');
  t.equal(refusedByMachine(own), own);
  t.match(
    await attempt(() =>
      Promise.reject(
        thrownBy(() => {
          writeFileSync('/dev/full', 'x');
        }) as Error,
      ),
    ),
    { kind: 'unavailable', cause: { message: /ENOSPC/ } },
  );
});

void t.test('bugs and wrong requests are not', async (t) => {
  for (const error of [
    new TypeError('x is not a function'),
    new RangeError('Maximum call stack size exceeded'),
    new BugInFlowbed('x'),
    new InputError('x'),
    'ENOSPC',
    undefined,
  ]) {
    t.equal(refusedByMachine(error), undefined);
  }
  await t.rejects(
    attempt(() => Promise.reject(new InputError('x'))),
    { name: 'InputError' },
  );
});
