// Goal: a connection that is counted by a clock that runs may have less time left, by what the
// clock is ahead and no more. Method: one connection, with what is left of it on both sides.
import t from 'tap';
import type { SwitchState, TrackedConnection } from '../domain/switch-state.js';
import { compareState, withoutLostSeconds } from './compare-state.js';

const connection: TrackedConnection = {
  node: 'n1',
  zone: 1,
  protocol: 'udp',
  original: 'o',
  reply: 'r',
  mark: 0,
  progress: '',
  timeoutS: 30,
};
const state: SwitchState = { connections: [connection], macs: [] };

void t.test('a clock that has run ahead leaves less time, and no less than that', (t) => {
  const leftBy = (aheadS: number | undefined, timeoutS: number) => {
    const clock = aheadS === undefined ? {} : { aheadS };
    const seen = { ...state, connections: [{ ...connection, timeoutS, ...clock }] };
    return compareState(state, seen, 1).differences.flatMap(({ fields }) => fields);
  };
  t.strictSame(leftBy(2, 28), []);
  t.strictSame(leftBy(2, 27), ['timeout'], 'longer ago than its clock can make it');
  t.strictSame(leftBy(2, 31), ['timeout'], 'no clock runs backwards');
  t.strictSame(leftBy(undefined, 29), ['timeout'], 'a clock that stands');
  t.end();
});

void t.test('no trace depends on the clock', (t) => {
  const seen = { ...state, connections: [{ ...connection, timeoutS: 29, aheadS: 2 }] };
  t.strictSame(withoutLostSeconds(state, seen), state);
  t.end();
});
