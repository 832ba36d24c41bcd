// Goal: an agent that restarts removes what is of its earlier starts, and nothing else. Method:
// one node after its first start, and after others, with and without groups.
import t from 'tap';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { sweep } from './sweep.js';

const one: NodePlan = {
  node: 'n1',
  bridges: [{ name: 'br0', mac: '02:00:00:00:00:01', ports: [], flows: [] }],
  hosts: [],
};

void t.test('what is of earlier starts goes', async (t) => {
  t.strictSame(sweep(one), [], 'of the first start there is nothing older');
  t.strictSame(
    sweep({
      ...one,
      allocation: {
        round: 1,
        ids: {},
        firstId: 1,
        groups: { 'default/web TCP': 3 },
        firstGroup: 3,
      },
    }),
    [
      {
        kind: 'change',
        node: 'n1',
        bridge: 'br0',
        lines: [
          'flow delete cookie=0x0/0xffff000000000000',
          'group delete group_id=1',
          'group delete group_id=2',
        ],
      },
    ],
    'groups of an earlier start go behind the flows that named them',
  );
  t.strictSame(sweep({ ...one, allocation: { round: 2, ids: {}, firstId: 1 } }), [
    {
      kind: 'change',
      node: 'n1',
      bridge: 'br0',
      lines: [
        'flow delete cookie=0x0/0xffff000000000000',
        'flow delete cookie=0x1000000000000/0xffff000000000000',
      ],
    },
  ]);
});
