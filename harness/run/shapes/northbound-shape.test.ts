// Goal: a plan that OVN cannot apply is refused before anything comes up, by the place that is
// wrong. Method: the plan of scenarios/ovn/first with one thing wrong at a time.
import t from 'tap';
import scenario from '../../../scenarios/ovn/first.js';
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { ChassisPlan } from '../../domain/plan/northbound-plan.js';
import { planProblems } from './plan-problems.js';
import { clusterPlan } from './plan-shape.js';

const plan = scenario.controlPlane.plan(scenario.topology({ nodes: '2' }));
const [zone] = plan.northbound?.zones ?? [];
assert(zone !== undefined, 'the plan has a zone');

function withChassis(change: (chassis: ChassisPlan) => ChassisPlan): ClusterPlan {
  assert(zone !== undefined, 'the plan has a zone');
  return { ...plan, northbound: { zones: [{ ...zone, chassis: zone.chassis.map(change) }] } };
}

void t.test('a plan as it should be', async (t) => {
  t.strictSame(planProblems(plan), []);
  t.ok(clusterPlan.safeParse(plan).success);
});

void t.test('what it names has to be there', async (t) => {
  t.match(planProblems(withChassis((one) => ({ ...one, bridge: 'br-phys' }))), [
    'northbound.zones[0].chassis[0].bridge: n1 has no bridge "br-phys" of origin "dumped"',
    /chassis\[1\]/,
    'nodes[0].bridges[0].origin: flows of br-int on n1 are "dumped", and no chassis programs it',
    /nodes\[1\]/,
  ]);
  t.match(
    planProblems(
      withChassis((one) => ({ ...one, bindings: [{ port: 'if-p9', logicalPort: 'p9' }] })),
    ),
    [
      'northbound.zones[0].chassis[0].bindings[0].port: bridge br-int of n1 has no port "if-p9"',
      /if-p9/,
    ],
  );
});

void t.test('values are texts, numbers, sets, maps and references', async (t) => {
  const rows = [{ table: 'ACL', id: 'a', columns: { match: { rows: [] } } }];
  t.notOk(clusterPlan.safeParse({ ...plan, northbound: { zones: [{ ...zone, rows }] } }).success);
});
