/**
 * Goal: real switches do with each case what it says, and the model puts the same bytes on the same
 * ports. Method: each case on each version. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { newest, parseVersion } from '../behaviour.js';
import { controllers, frames, printStep, printPacketIns } from './case-frames.js';
import { cases } from './cases.js';
import { buildNode } from '../build-node.js';
import { receiveFrame } from '../receive-frame.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const bridge = {
  controllers,
  name: 'br0',
  mac: '02:00:00:00:00:fe',
  ports: [1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint' as const, name: `p${ofport}`, ofport })),
};
const planOf = (flows: readonly string[], groups: readonly string[] = []): NodePlan => ({
  node: 'n1',
  bridges: [{ ...bridge, flows, groups }],
  hosts: [],
});

for (const suite of suites) {
  void t.test(`${suite} does what the cases say`, async (t) => {
    const sim = await openSim(
      { nodes: [planOf([])] },
      await openImage(suite, (line) => t.comment(line)),
    );
    t.teardown(() => sim.close());
    const version = parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest;
    for (const {
      name: what,
      flows,
      groups = [],
      frame: name = 'udp',
      expected: gives,
      expectedBefore32: gaveBefore,
      expectedPacketIns = [],
    } of cases) {
      await sim.bundle('n1', 'br0', [
        'flow delete',
        'group delete',
        ...groups.map((group) => `group add ${group}`),
        ...flows.map((flow) => `flow add ${flow}`),
      ]);
      await sim.reset();
      const frame = frames[name];
      const expected = receiveFrame(buildNode(planOf(flows, groups), version), 'p1', frame).step;
      const [step] = await sim.call([{ kind: 'receive', node: 'n1', port: 'p1', frames: [frame] }]);
      const hex = (outputs: readonly { readonly port: string; readonly frame: Uint8Array }[]) =>
        outputs.map((output) => `${output.port} ${Buffer.from(output.frame).toString('hex')}`);
      t.strictSame(hex(step?.outputs ?? []), hex(expected.outputs), what);
      t.strictSame(
        step?.packetIns?.map(({ frame: sent }) => Buffer.from(sent).toString('hex')),
        expected.packetIns?.map(({ frame: sent }) => Buffer.from(sent).toString('hex')),
        what,
      );
      t.strictSame(
        printPacketIns(step ?? { outputs: [] }).toSorted(),
        expectedPacketIns.toSorted(),
        what,
      );
      t.equal(
        printStep(
          step ?? { outputs: [] },
          frame,
          (await sim.counts()).map((count) => count),
        ),
        version[0] === 3 && version[1] < 2 ? (gaveBefore ?? gives) : gives,
        what,
      );
    }
  });
}
