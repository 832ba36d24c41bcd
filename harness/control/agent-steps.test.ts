// Goal: agents do no more than a change asks for, in an order in which nothing is named that is not
// there. Method: two plans of two bridges that differ in one thing each.
import t from 'tap';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { stepsBetween, stepsOfReplay, stepsOfStart } from './agent-steps.js';

const bridge: BridgePlan = {
  name: 'br0',
  mac: '02:00:00:00:00:01',
  ports: [{ kind: 'endpoint', name: 'a', ofport: 1 }],
  flows: ['in_port=a actions=drop', 'priority=0 actions=drop'],
};
const cluster = (...bridges: readonly BridgePlan[]): ClusterPlan => ({
  nodes: [{ node: 'n1', bridges, hosts: [] }],
});
const between = (before: Partial<BridgePlan>, after: Partial<BridgePlan>) =>
  stepsBetween(cluster({ ...bridge, ...before }), cluster({ ...bridge, ...after }));

void t.test('one bridge', async (t) => {
  t.strictSame(between({}, {}), []);
  const b = { kind: 'endpoint', name: 'b', ofport: 2 } as const;
  t.strictSame(
    between({}, { ports: [b], flows: ['in_port=b actions=drop', 'priority=0 actions=drop'] }),
    [
      { kind: 'attach', node: 'n1', bridge: 'br0', port: b },
      {
        kind: 'change',
        node: 'n1',
        bridge: 'br0',
        lines: [
          'flow delete_strict table=0, priority=32768,in_port=1',
          'flow add table=0, priority=32768,in_port=2 actions=drop',
        ],
      },
      { kind: 'detach', node: 'n1', bridge: 'br0', port: 'a' },
    ],
    'a port goes behind its flows and comes before',
  );
  const group = (id: number, to: number) => `group_id=${id},type=all,bucket=actions=output:${to}`;
  t.match(
    between(
      { groups: [group(1, 1), group(2, 1)] },
      { groups: [group(2, 2), group(3, 1)], flows: ['actions=group:3'] },
    ),
    [
      {
        lines: [
          /^group add group_id=3/,
          /^group modify group_id=2/,
          /^flow delete_strict/,
          /^flow delete_strict/,
          /^flow add .*group:3/,
          'group delete group_id=1',
        ],
      },
    ],
  );
  const underlay = { ip: '10.0.0.1', prefixLength: 24, neighbours: [] };
  const neighbours = [{ ip: '10.0.0.2', mac: '02:00:00:00:00:02' }];
  t.strictSame(between({ underlay }, { underlay: { ...underlay, neighbours } }), [
    { kind: 'neighbours', node: 'n1', bridge: 'br0', neighbours },
  ]);
  t.throws(() => between({}, { mac: '02:00:00:00:00:09' }), /mac of bridge br0/);
});

void t.test('nodes, and agents that restart', async (t) => {
  const [one] = cluster(bridge).nodes;
  if (one === undefined) return;
  const other = { ...one, node: 'n2' };
  t.strictSame(stepsBetween({ nodes: [one] }, { nodes: [other] }), [
    { kind: 'leave', node: 'n1' },
    { kind: 'join', node: 'n2', plan: other },
  ]);
  const all = [
    'flow add table=0, priority=32768,in_port=1 actions=drop',
    'flow add table=0, priority=0 actions=drop',
  ];
  t.strictSame(stepsOfReplay(one), [{ kind: 'change', node: 'n1', bridge: 'br0', lines: all }]);
  t.strictSame(stepsOfStart(one, one), stepsOfReplay(one));
});
