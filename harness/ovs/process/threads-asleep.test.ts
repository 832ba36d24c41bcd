/**
 * Goal: a program is said to be asleep when none of its threads has anything to do, and not before.
 * Method: real processes, one that waits for input, one that is stopped, one that never
 * rests, and one that has ended.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { yieldToEventLoop } from '../../base/concurrency/yield-to-event-loop.js';
import { areThreadsAsleep } from './threads-asleep.js';

void t.test(
  'who waits is asleep, who works or is stopped is not, and nobody who has ended',
  async (t) => {
    t.equal(areThreadsAsleep(process.pid), false, 'who asks is at work');
    const waits = spawn('cat');
    const ended = once(waits, 'close');
    waits.stdin.write('begun');
    await once(waits.stdout, 'data');
    while (!areThreadsAsleep(waits.pid ?? 0)) await yieldToEventLoop();
    t.pass('it waits for more');
    waits.kill('SIGSTOP');
    while (areThreadsAsleep(waits.pid ?? 0)) await yieldToEventLoop();
    t.pass('it is stopped: it would go on with what it had begun');
    waits.kill('SIGKILL');
    await ended;
    t.equal(areThreadsAsleep(waits.pid ?? 0), false, 'it has ended');

    const works = spawn('perl', ['-e', 'syswrite(STDOUT, "begun"); 1 while 1']);
    const over = once(works, 'close');
    await once(works.stdout, 'data');
    t.equal(
      Array.from({ length: 200 }, () => areThreadsAsleep(works.pid ?? 0)).includes(true),
      false,
      'it never rests',
    );
    works.kill('SIGKILL');
    await over;
  },
);
