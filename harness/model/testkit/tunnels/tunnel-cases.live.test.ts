/**
 * Goal: real switches do at every step of each case what it says, and the model puts the same bytes
 * on the same ports. Method: each case on each version, with nothing cached between steps.
 * SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import type { SwitchStep } from '../../../domain/switching.js';
import { openSim } from '../../../testbeds/sim/sim.js';
import { newest, parseVersion } from '../../behaviour.js';
import { buildNode } from '../../build-node.js';
import { receiveFrame } from '../../receive-frame.js';
import { printOutput } from './tunnel-case-frames.js';
import { caseNode, tunnelCases } from './tunnel-cases.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const hex = ({ outputs }: SwitchStep) =>
  outputs.map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`);

for (const suite of suites) {
  void t.test(`tunnels of ${suite} do what the cases say`, async (t) => {
    const sim = await openSim(
      { nodes: [caseNode] },
      await openImage(suite, (line) => t.comment(line)),
    );
    t.teardown(() => sim.close());
    for (const { what, steps } of tunnelCases) {
      await sim.reset();
      const node = buildNode(caseNode, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest);
      for (const step of steps) {
        if (step.kind === 'time') {
          node.nowMs += step.seconds * 1000;
          t.strictSame(
            await sim
              .call([{ kind: 'advance', node: 'n1', ms: step.seconds * 1000 }])
              .then(([passed]) => passed?.outputs),
            [],
            `${what}: nothing happens meanwhile`,
          );
          continue;
        }
        const [found = { outputs: [] }] = await sim.call([
          { kind: 'receive', node: 'n1', port: step.into, frames: [step.frame] },
        ]);
        t.strictSame(hex(found), hex(receiveFrame(node, step.into, step.frame).step), what);
        t.strictSame(found.outputs.map(printOutput), step.gives, what);
        // What is cached follows what was learned of neighbours when revalidators get to it:
        // counting empties the cache.
        await sim.counts();
      }
    }
  });
}
