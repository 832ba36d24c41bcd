// Goal: a guest runs on a processor that it may use, and guests are spread over them. Method: what
// proc(5) prints of them.
import t from 'tap';
import { guestProcessor } from './guest-processor.js';

const chosen = (list: string) =>
  [0, 1, 2, 3].map((pid) => guestProcessor(pid, `Cpus_allowed:\t3\nCpus_allowed_list:\t${list}\n`));

void t.test('one of those that are allowed', (t) => {
  t.strictSame(chosen('0-1'), [0, 1, 0, 1]);
  t.strictSame(chosen('5'), [5, 5, 5, 5]);
  t.strictSame(chosen('2,6-7'), [2, 6, 7, 2]);
  t.type(guestProcessor(), 'number');
  t.end();
});
