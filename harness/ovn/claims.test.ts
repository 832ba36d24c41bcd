// Goal: a logical port that two chassis claim is refused by name, unless it is requested for both.
// Method: two chassis that bind one port, by hand.
import t from 'tap';
import { refuseRivals } from './claims.js';

const claimed = (requested: string, second = 'p1') => ({
  chassis: (['n1', 'n2'] as const).map((node, index) => ({
    node,
    bridge: 'br-int',
    encapIp: `172.30.0.${index + 1}`,
    bindings: [{ port: 'if-p1', logicalPort: index === 0 ? 'p1' : second }],
  })),
  rows: [
    {
      table: 'Logical_Switch_Port' as const,
      id: 'switch port p1',
      columns: { name: 'p1', options: { map: { 'requested-chassis': requested } } },
    },
  ],
});

void t.test('who may have it', async (t) => {
  t.doesNotThrow(() => refuseRivals(claimed('', 'p2')));
  t.doesNotThrow(() => refuseRivals(claimed('n1,n2')));
  for (const [requested, named] of [
    ['', 'none of them'],
    ['n1', 'n1'],
  ] as const)
    t.throws(() => refuseRivals(claimed(requested)), {
      name: 'Unavailable',
      message: new RegExp(
        `^logical port p1 is claimed by n1 and n2, and requested-chassis names ${named}: `,
      ),
    });
});
