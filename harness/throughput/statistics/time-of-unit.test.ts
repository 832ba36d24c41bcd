/** Goal: the slowest stage decides, or the processors do. Method: stages by hand. */
import t from 'tap';
import { timeOfUnit } from './time-of-unit.js';

const stages = { client: 1, clients: 1, server: 2, proxy: 0, switches: 10, switchCount: 1 };

void t.test('the slowest stage decides', (t) => {
  t.equal(timeOfUnit(stages, 4), 10);
  t.equal(timeOfUnit({ ...stages, switchCount: 2 }, 4), 5, 'two share it');
  t.equal(timeOfUnit({ ...stages, proxy: 20 }, 4), 20);
  t.equal(timeOfUnit({ ...stages, client: 60 }, 8), 60);
  t.equal(timeOfUnit({ ...stages, client: 60, clients: 4 }, 8), 15, 'four share it');
  t.end();
});

void t.test('where there are more stages than processors, those decide', (t) => {
  t.equal(timeOfUnit({ ...stages, switchCount: 2 }, 2), 6.5);
  t.equal(timeOfUnit(stages, 1), 13);
  t.end();
});
