// Goal: real switches carry connections through kube-proxy on a Windows node as promised while
// endpoints come, go and die, and policies change. Method: the timeline by hand on one version of
// Open vSwitch, in the mode without tunnels.
import t from 'tap';
import { openImage } from '../../../images/images.js';
import windowsEndpoints from '../../../scenarios/antrea/windows-endpoints.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { runScenario } from '../run-scenario.js';

const image = await openImage('trixie', (line) => t.comment(line));

void t.test('the timeline', async (t) => {
  const { report } = await runScenario(
    windowsEndpoints,
    { mode: 'noEncap' },
    { seed: 1, nowMs: () => 0, openReal: (plan) => openSim(plan, image) },
  );
  t.strictSame(
    [
      report.verdict,
      ...report.vectors
        .filter(({ verdict }) => verdict !== 'conforms')
        .map(({ id, differences, inconclusive }) => [id, differences[0], inconclusive]),
    ],
    ['conforms'],
  );
  t.ok(report.vectors.some(({ intent }) => intent.kind === 'abandoned'));
});
