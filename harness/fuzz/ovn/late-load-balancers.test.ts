// Goal: flows that an older ovn-controller has from scratch alone are left out where a load
// balancer comes to a chassis that it was not at, and nowhere else. Method: one such flow, then
// with one thing changed at a time, each of which is another fault.
import t from 'tap';
import type { NorthboundPlan, NorthboundRow } from '../../domain/plan/northbound-plan.js';
import { rowUuid } from '../../ovn/northbound/northbound-changes.js';
import { isOfLateLoadBalancer, type Steps } from './late-load-balancers.js';

const balancer: NorthboundRow = { table: 'Load_Balancer', id: 'load balancer lb1', columns: {} };
const holds = (...rows: readonly NorthboundRow[]): NorthboundPlan => ({
  zones: [{ name: 'global', chassis: [], rows }],
});
const digits = rowUuid('global', balancer.id).slice(0, 8).replace(/^0+/, '');
const text = `cookie=0x${digits}, table=70, priority=100,tcp actions=drop`;
const other = 'cookie=0x1, table=70, priority=100,tcp actions=drop';
const of = { node: 'n2', bridge: 'br-int', table: 70, priority: 100, match: 'tcp' };
const missing = { of, expected: text, actual: undefined };
const program = (node: string, ...flows: readonly string[]) => ({
  ...{ node, bridge: 'br-int', flows, groups: [], meters: [] },
});
const steps: Steps = {
  version: '25.03.0',
  rows: { before: holds(balancer), wanted: holds(balancer) },
  programs: {
    before: [program('n1', text), program('n2', other)],
    stepByStep: [program('n1', text), program('n2', other)],
  },
};

void t.test('a load balancer that comes to a chassis', (t) => {
  t.equal(isOfLateLoadBalancer(missing, steps), true);
  t.equal(isOfLateLoadBalancer(missing, { ...steps, version: '24.09.2' }), true);
  t.end();
});

void t.test('nothing else', (t) => {
  const { rows, programs } = steps;
  for (const version of ['25.03.1', '25.09.0', '26.03.1', ''])
    t.equal(isOfLateLoadBalancer(missing, { ...steps, version }), false, `version ${version}`);
  for (const [what, one] of Object.entries({
    'a flow that is there step by step': { ...missing, actual: text },
    'a flow that is there step by step alone': { ...missing, expected: undefined, actual: text },
    'a flow of something else': { ...missing, expected: other },
    'a group': { ...missing, of: { node: 'n2', bridge: 'br-int', group: 1 } },
  }))
    t.equal(isOfLateLoadBalancer(one, steps), false, what);
  for (const [what, some] of Object.entries({
    'a load balancer that is new': { rows: { ...rows, before: holds() } },
    'one that has gone': { rows: { ...rows, wanted: holds() } },
    'one that was there before': {
      programs: { ...programs, before: [program('n2', text)] },
    },
    'one that has other flows by now': {
      programs: { ...programs, stepByStep: [program('n2', text.replace('70', '68'))] },
    },
  }))
    t.equal(isOfLateLoadBalancer(missing, { ...steps, ...some }), false, what);
  t.end();
});
