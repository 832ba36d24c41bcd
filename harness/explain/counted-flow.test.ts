// Goal: of flows that count as one both columns have the same, whichever of them has counted; a
// packet that one side alone counts still shows. Method: counts in memory.
import t from 'tap';
import { countedFlows } from './counted-flow.js';

const [one, other, third] = [1, 2, 3].map((table) => ({
  flow: { node: 'n1', bridge: 'br-int', table, priority: 110, match: '' },
  packets: 2,
  bytes: 120,
}));

void t.test('flows that count as one', (t) => {
  t.ok(one !== undefined && other !== undefined && third !== undefined);
  if (one === undefined || other === undefined || third === undefined) return;
  const sets = [[one.flow, other.flow]];
  t.strictSame(countedFlows([one], [other], sets), [
    { flow: one.flow, among: 2, model: 2, switch: 2 },
    { flow: other.flow, among: 2, model: 2, switch: 2 },
  ]);
  t.match(countedFlows([one], [third], sets), [
    { flow: one.flow, model: 2, switch: 0 },
    { flow: third.flow, model: 0, switch: 2 },
  ]);
  t.match(countedFlows([one], [other]), [
    { flow: one.flow, model: 2, switch: 0 },
    { flow: other.flow, model: 0, switch: 2 },
  ]);
  t.end();
});
