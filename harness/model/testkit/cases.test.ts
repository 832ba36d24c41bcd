/**
 * Goal: the model does with each case what it says, for old versions and new ones. Method: one
 * packet through each.
 */
import t from 'tap';
import { newest } from '../behaviour.js';
import { controllers, frames, printStep, printPacketIns } from './case-frames.js';
import { cases } from './cases.js';
import { buildNode } from '../build-node.js';
import { flowCounts, receiveFrame } from '../receive-frame.js';

const bridge = {
  controllers,
  name: 'br0',
  mac: '02:00:00:00:00:fe',
  ports: [1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint' as const, name: `p${ofport}`, ofport })),
};

void t.test('every case', (t) => {
  for (const {
    name: what,
    flows,
    groups = [],
    frame = 'udp',
    expected: gives,
    expectedBefore32: gaveBefore = gives,
    expectedPacketIns = [],
  } of cases) {
    for (const [version, expected] of [
      [newest, gives],
      [[3, 1], gaveBefore],
    ] as const) {
      const node = buildNode(
        { node: 'n1', bridges: [{ ...bridge, flows, groups }], hosts: [] },
        version,
      );
      const { step } = receiveFrame(node, 'p1', frames[frame]);
      t.strictSame(printPacketIns(step), expectedPacketIns, what);
      t.equal(
        printStep(step, frames[frame], flowCounts(node)),
        expected,
        `${what} (${version.join('.')})`,
      );
    }
  }
  t.end();
});
