// Goal: flows expire at their millisecond, a change that is refused leaves nothing behind, and a
// reset goes back to the plan. Method: one node; changes, packets and time; its dump.
import t from 'tap';
import { formatFlowId } from '../../../domain/switching.js';
import { frames } from '../../testkit/case-frames.js';
import { resetNode } from '../../reset-node.js';
import { buildNode } from '../../build-node.js';
import { flowCounts, receiveFrame } from '../../receive-frame.js';
import { changeFlows } from './change-flows.js';
import { advance } from './expire-flows.js';

const nodeOf = (...flows: readonly string[]) =>
  buildNode({
    node: 'n1',
    hosts: [],
    bridges: [
      {
        name: 'br0',
        mac: '02:00:00:00:00:fe',
        ports: [1, 2].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
        flows,
      },
    ],
  });
const held = (node: ReturnType<typeof nodeOf>) =>
  flowCounts(node)
    .map(({ flow, packets }) => `${formatFlowId(flow)}: ${packets}`)
    .sort();

void t.test('the last millisecond belongs to the flow', (t) => {
  const node = nodeOf(
    'priority=1,udp,idle_timeout=5 actions=output:2',
    'priority=2,tcp,hard_timeout=5 actions=output:2',
  );
  advance(node, 5000);
  t.equal(held(node).length, 2);
  receiveFrame(node, 'p1', frames.udp);
  advance(node, 1);
  t.strictSame(held(node), ['table=0, priority=1,udp: 1'], 'packets put it off');
  advance(node, 5000);
  t.strictSame(held(node), []);
  resetNode(node);
  t.equal(held(node).length, 2, 'a reset brings them back');
  advance(node, 5000);
  t.equal(held(node).length, 2, 'as if they came then');
  t.end();
});

void t.test('all or none', (t) => {
  const node = nodeOf('priority=1,udp actions=output:2');
  const before = held(node);
  const refused = [
    'flow add priority=3,actions=drop',
    'flow delete udp',
    'flow add priority=3,check_overlap,udp,actions=drop',
  ];
  t.throws(() => changeFlows(node, 'br0', refused), { name: 'InputError', message: /overlaps/ });
  t.strictSame(held(node), before);
  changeFlows(node, 'br0', refused.slice(0, 2));
  t.strictSame(held(node), ['table=0, priority=3: 0']);
  t.end();
});
