// Goal: what a case holds is all that its bridges hold. Method: a case on flows that somebody
// wrote, of which fewer and fewer are left.
import t from 'tap';
import { antrea } from '../../control/antrea/index.js';
import { staticFlows } from '../../control/static.js';
import { antreaCluster } from '../../../topologies/antrea/antrea-cluster.js';
import { bridgesIn, flowsIn } from './shrink-case.js';
import { flowTexts, type ShrunkCase } from './shrunk-case.js';

const network = antreaCluster({ nodes: 1, podsPerNode: 2, tunnel: 'geneve' });
const written = staticFlows(antrea('0.8'), [
  { bridge: 'br-int', text: 'priority=1,arp actions=NORMAL\npriority=0 actions=drop\n' },
]);
const plan = written.plan(network);
const whole: ShrunkCase = {
  network,
  vector: { id: 'ping', stimulus: { kind: 'ping', from: 'p1', to: '10.10.1.3' } },
  flows: flowsIn({ bad: plan }),
  bridges: bridgesIn({ bad: plan }),
};
const left = (flows: NonNullable<ShrunkCase['flows']>) =>
  staticFlows(written, flowTexts({ ...whole, flows }, 'bad'))
    .plan(network)
    .nodes.flatMap(({ bridges }) => bridges.flatMap((bridge) => bridge.flows))
    .filter((line) => line !== '');

void t.test('a bridge that is left no flow has none, and not its own again', (t) => {
  const flows = whole.flows ?? [];
  t.equal(flows.length, 3, 'two of br-int, and one of br-phys');
  t.same(left(flows).length, 3);
  t.same(left(flows.slice(0, 1)), ['priority=1,arp actions=NORMAL']);
  t.same(left([]), []);
  t.end();
});
