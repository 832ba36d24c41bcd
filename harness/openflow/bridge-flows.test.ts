/**
 * Goal: a plan's flows are read with their bridge's names, and what is wrong in them is named with its place. Method: a bridge with comments,
 * blank lines and an unknown action.
 */
import t from 'tap';
import { parseBridgeFlows } from './bridge-flows.js';
import { printFlow } from './flow.js';

void t.test('the flows that a plan wants on a bridge', (t) => {
  const bridge = { name: 'br-int', mac: '', ports: [{ kind: 'endpoint', name: 'p1', ofport: 3 }] } as const;
  const flows = ['# comment', '', '  \t', 'in_port=p1,actions=output:br-int # to the node', 'priority=1,actions=drop'];
  t.same(parseBridgeFlows('n1', { ...bridge, flows }).map(printFlow), ['table=0, priority=32768,in_port=3 actions=LOCAL', 'table=0, priority=1 actions=drop']);
  const wrong = [...flows, 'actions=fly'];
  t.throws(() => parseBridgeFlows('n1', { ...bridge, flows: wrong }), { message: /^flows of br-int on n1:6:9: unknown action "fly"/ });
  t.throws(() => parseBridgeFlows('n1', { ...bridge, flows: wrong, flowsFile: 'a.flows' }), { message: /^a\.flows:6:9: / });
  t.end();
});
