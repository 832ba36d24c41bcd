// Goal: OVN loses a client's first packet to a Service with affinity on the kernel's datapath too,
// and the second SYN connects there. Method: ovn-kubernetes/services in a guest.
import t from 'tap';
import { kernelFolder } from '../../../images/uml/kernel.js';
import { runReport } from '../../run/records/run-report.js';
import { flowbedIn } from '../flowbed-process.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';

void t.test('by a kernel', { skip, timeout: 900_000 }, async (t) => {
  const where = ['--backend', 'netns', '--world', 'uml', '--passes', 'cold', '--json'];
  const ran = await flowbedIn(t.testdir({}), ['run', 'ovn-kubernetes/services', ...where]);
  t.equal(ran.code, 0, ran.stderr);
  const report = runReport.parse(JSON.parse(ran.stdout));
  t.equal(report.verdict, 'conforms');
  const vectors = report.scenarios.flatMap((scenario) => scenario.vectors);
  const sticky = vectors.find(({ id }) => id === 'service/asker1/default/sticky');
  t.match(sticky?.intent, { kind: 'contradicted', instead: { transmission: 2 } });
});
