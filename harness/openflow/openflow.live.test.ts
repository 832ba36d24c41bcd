/**
 * Goal: our text of a flow is Open vSwitch's, to the letter. Method: any flows of the language go
 * into a real switch by ovs-ofctl in a bundle; what it then dumps, and what the daemon dumps over
 * its control socket, is compared.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { Unavailable } from '../base/errors/errors.js';
import { connectUnixctl } from '../ovs/unixctl.js';
import { openSim } from '../testbeds/sim/sim.js';
import { anyFlow } from './testkit/arbitrary-flow.js';
import { parseFlow, printDumpedFlow, printFlow, printFlowKey, type Flow } from './flows/flow.js';
import { canonical } from './syntax/form.js';

/** A flow that is left out here may be wrong for ever: raise the number, never lower it. */
const count = 600;
const [flows = []] = fc.sample(
  fc.uniqueArray(
    anyFlow.filter(({ match }) => !match.some(({ field }) => field.notation === 'option')),
    { selector: printFlowKey, minLength: count, maxLength: count, size: 'max' },
  ),
  { seed: 1, numRuns: 1 },
);

const asDumped = (flow: Flow): string => printDumpedFlow({ flow }, canonical);

void t.test(`${count} flows come back from a switch as they are printed`, async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  const bridge = { name: 'br0', mac: '02:00:00:00:00:01', ports: [], flows: flows.map(printFlow) };
  const sim = await openSim({ nodes: [{ node: 'n1', bridges: [bridge], hosts: [] }] }, image);
  t.teardown(() => sim.close());

  const [program] = await sim.program();
  t.strictSame(program?.flows.toSorted(), flows.map(asDumped).sort(), 'by ovs-ofctl dump-flows');

  const peer = {
    name: 'ovs-vswitchd',
    whyEnded: () => Promise.resolve(new Unavailable('ovs-vswitchd has gone')),
  };
  const daemon = await connectUnixctl(join(sim.dir, 'n1', 'ovs-vswitchd.ctl'), peer);
  t.teardown(() => daemon.close());
  const dump = (await daemon.call('bridge/dump-flows', bridge.name))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('table_id=254'));
  const printed = (flow: Flow): string =>
    printFlow({ ...flow, idleTimeout: 0, hardTimeout: 0, importance: 0, flags: [] });
  t.strictSame(
    dump.map((line) => printed(parseFlow(line))).sort(),
    flows.map(printed).sort(),
    'by bridge/dump-flows, which reports neither timeouts nor flags',
  );
});
