// Goal: OVN loses a client's first packet to a Service with affinity on the kernel's datapath too,
// and the second SYN connects there. Method: what ovn-kubernetes/services sends to that Service, in
// a guest.
import t from 'tap';
import { kernelFolder } from '../../../images/uml/kernel.js';
import { runReport } from '../../run/records/run-report.js';
import { flowbedIn } from '../flowbed-process.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';

const scenario = `import services from 'flowbed/scenarios/ovn-kubernetes/services';
export default {
  ...services,
  name: 'affinity',
  vectors: (topology) => services.vectors(topology).filter(({ id }) => /sticky/.test(id)),
};
`;

void t.test('by a kernel', { skip, timeout: 900_000 }, async (t) => {
  const where = ['--backend', 'netns', '--world', 'uml', '--passes', 'cold', '--json'];
  const folder = t.testdir({ 'affinity.mjs': scenario });
  const ran = await flowbedIn(folder, ['run', 'affinity.mjs', ...where]);
  t.equal(ran.code, 0, ran.stderr);
  const report = runReport.parse(JSON.parse(ran.stdout));
  t.equal(report.verdict, 'conforms');
  const vectors = report.scenarios.flatMap((scenario) => scenario.vectors);
  const sticky = vectors.find(({ id }) => id === 'service/asker1/default/sticky');
  t.match(sticky?.intent, { kind: 'contradicted', instead: { transmission: 2 } });
});
