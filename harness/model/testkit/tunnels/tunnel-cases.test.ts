/**
 * Goal: the model does at every step of each case what it says, in the oldest and the newest
 * version alike. Method: each case on a node of its own; real switches say the same
 * (tunnel-cases.live.test.ts).
 */
import t from 'tap';
import { newest } from '../../behaviour.js';
import { buildNode } from '../../build-node.js';
import { receiveFrame } from '../../receive-frame.js';
import { printOutput } from './tunnel-case-frames.js';
import { caseNode, tunnelCases } from './tunnel-cases.js';

for (const version of [[3, 1], newest] as const) {
  void t.test(`tunnels of ${version.join('.')} do what the cases say`, (t) => {
    for (const { what, steps } of tunnelCases) {
      const node = buildNode(caseNode, version);
      for (const step of steps) {
        if (step.kind === 'time') node.nowMs += step.seconds * 1000;
        else
          t.strictSame(
            receiveFrame(node, step.into, step.frame).step.outputs.map(printOutput),
            step.gives,
            what,
          );
      }
    }
    t.end();
  });
}
