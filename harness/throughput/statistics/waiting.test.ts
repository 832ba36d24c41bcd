/**
 * Goal: waiting is kept apart from work, is found where it is more than reference paths wait, and
 * noise of the machine decides nothing. Method: units by hand.
 */
import t from 'tap';
import { judgeWaiting, waitingShare, type Waiting } from './waiting.js';

const stages = { client: 16, clients: 16, server: 20, proxy: 0, switches: 120, switchCount: 2 };
// 156 of two processors, so that 78 are needed.
const unit = { stages, unitNs: 78, inVainNs: 0 };

void t.test('what a unit takes beyond its work', (t) => {
  t.equal(waitingShare(unit, 2), 0);
  t.equal(waitingShare({ ...unit, unitNs: 156 }, 2), 0.5, 'somebody sleeps, or holds it back');
  const busier = { ...stages, server: 176 };
  t.equal(waitingShare({ ...unit, stages: busier, unitNs: 176 }, 2), 0, 'a host that computes');
  const spinning = { ...stages, switches: 276 };
  const slower = { ...unit, stages: spinning, unitNs: 156 };
  t.equal(waitingShare(slower, 2), 0, 'switches work more');
  t.equal(waitingShare({ ...slower, inVainNs: 156 }, 2), 0.5, 'they go round without packets');
  t.equal(waitingShare({ ...unit, unitNs: 70 }, 2), 0, 'none is negative');
  t.end();
});

void t.test('what a path may wait, beside what the baseline does', (t) => {
  const waiting = (low: number, high: number): Waiting => ({
    measured: { value: (low + high) / 2, low, high },
    clean: { value: 0.03, low: 0, high: 0.07 },
  });
  const calm = waiting(0.01, 0.06);
  const kindOf = (path: Waiting, baseline = calm) => judgeWaiting(path, baseline).kind;
  t.equal(kindOf(waiting(0.02, 0.12)), 'conforms');
  t.equal(kindOf(waiting(0.19, 0.3)), 'the path waits');
  t.equal(kindOf(waiting(0.05, 0.3)), 'inconclusive: too noisy');
  t.equal(kindOf(waiting(0, Infinity)), 'inconclusive: too noisy', 'too few turns');
  const disturbed = waiting(0.05, 0.25);
  t.equal(kindOf(waiting(0.19, 0.3), disturbed), 'inconclusive: too noisy', 'the machine');
  t.equal(kindOf(waiting(0.5, 0.6), disturbed), 'the path waits');
  t.end();
});
