// Goal: what the kernel's connection tracker translates is what the model says, and what the
// userspace datapath does; a kernel that translates to other ports is found. Method: openflow/nat
// on the sim and in a guest, then in a guest with one flow more than was programmed.
import t from 'tap';
import { kernelFolder } from '../../../images/uml/kernel.js';
import { runReport } from '../../run/records/run-report.js';
import { flowbedIn } from '../flowbed-process.js';
import { saidInGuest } from '../testkit/said-in-guest.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';
const limitMs = 900_000;

void t.test('on both datapaths', { skip, timeout: limitMs }, async (t) => {
  const request = ['run', 'openflow/nat', '--set', 'ports=given,ports=chosen', '--json'];
  for (const where of [[], ['--backend', 'netns', '--world', 'uml']]) {
    const ran = await flowbedIn(t.testdir({}), [...request, ...where]);
    t.equal(ran.code, 0, ran.stderr);
    t.match(runReport.parse(JSON.parse(ran.stdout)), { verdict: 'conforms' });
  }
});

void t.test('other ports', { skip, timeout: limitMs }, async (t) => {
  const flow =
    'table=0,priority=70,udp,nw_dst=10.10.1.3 ' +
    'actions=ct(commit,zone=1,table=1,nat(src=10.10.1.193:5004-5007))';
  const program = 'wrong-translation.js';
  const said = await saidInGuest(t.testdir({}), program, flow, 'udp/range', 'tcp/range');
  t.match(said.join('\n'), /^udp\/range diverges .*differs in udp\.src/m);
  t.ok(said.includes('tcp/range conforms'), 'the flow takes UDP alone');
});
