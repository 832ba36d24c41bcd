// Goal: a zone that does not know of an event has the rows of before, and loses them once it does.
// Method: the orders of ovn-kubernetes/migration-orders, planned without switches.
import t from 'tap';
import {
  hearingOrders,
  migrationOrder,
} from '../../../topologies/ovn-kubernetes/migration-orders.js';
import { ovnKubernetes } from './index.js';

function rowsAfter(order: string): readonly (readonly [what: string, ...zones: string[]])[] {
  return migrationOrder(order).steps.flatMap((step) => {
    if (step.kind !== 'cluster') return [];
    const { northbound } = ovnKubernetes().plan(step.cluster);
    const zones = northbound?.zones ?? [];
    return [[step.what, ...zones.map(({ rows }) => JSON.stringify(rows))] as const];
  });
}

void t.test('zones hear by themselves, and end alike in every order', async (t) => {
  t.equal(hearingOrders.length, 12);
  const ends = new Set(hearingOrders.map((order) => rowsAfter(order).at(-1)?.slice(1).join()));
  t.equal(ends.size, 1, 'all orders lead to the same rows');
});

void t.test('the zone that does not know has no route to where the machine is', async (t) => {
  const steps = rowsAfter('g12e');
  const routes = steps.map(([what, ...zones]) => [
    what,
    ...zones.map((rows) => rows.includes('"id":"route to vm1"')),
  ]);
  t.strictSame(routes, [
    ['a virt-launcher pod for vm1 comes to n2', false, false],
    ['the guest of vm1 runs on n2', false, false],
    ['the zone of n1 hears that vm1 runs on n2', true, false],
    ['the zone of n2 hears that vm1 runs on n2', true, true],
    ['the virt-launcher pod on n1 ends', true, true],
  ]);
});
