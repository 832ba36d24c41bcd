/**
 * What a test starts in a guest: openflow/nat on its kernel, on a switch that holds one flow more
 * than it was programmed with. Says the verdict of each vector that does not conform.
 */
import { openImage } from '../../../images/images.js';
import nat from '../../../scenarios/openflow/nat.js';
import { runScenario } from '../../run/run-scenario.js';
import { netns } from '../../testbeds/netns/netns-backend.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';

const [flow = '', ...ids] = process.argv.slice(2);
const say = (line: string) => void process.stderr.write(`${line}\n`);
const image = await openImage('trixie', say);
let opened: OvsSwitches | undefined;
const { report } = await runScenario(
  nat,
  { ports: 'chosen' },
  {
    seed: 1,
    depth: 'cold',
    nowMs: () => 0,
    only: ({ id }) => ids.includes(id),
    openReal: async (plan) => (opened = await netns.open(plan, image)),
    afterProgramming: async () => {
      await opened?.ofctl('n1', 'br-int', 'add-flow', flow);
    },
  },
);
for (const { id, verdict, differences } of report.vectors)
  say(`${id} ${verdict} ${differences[0]?.summary ?? ''}`.trimEnd());
process.exit(0);
