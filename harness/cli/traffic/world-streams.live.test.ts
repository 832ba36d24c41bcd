// Goal: what real stacks get through a link is what is predicted, to the byte, and what is wrong on
// purpose is found. Method: streams in a guest, over links with a rate and with loss, and the same
// with each planted fault.
import t from 'tap';
import { kernelFolder } from '../../../images/uml/kernel.js';
import { flowbedIn } from '../flowbed-process.js';
import type { StreamFault } from '../../streams/planted-faults.js';
import type { StreamsReport } from './streams.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';
const limitMs = 500_000;

async function streams(dir: string, ...words: readonly string[]) {
  const { code, stdout, stderr } = await flowbedIn(dir, ['streams', '--json', ...words]);
  if (stdout === '') throw new Error(stderr);
  return { code, report: JSON.parse(stdout) as StreamsReport };
}

void t.test('goodput and losses', { skip, timeout: limitMs }, async (t) => {
  const { code, report } = await streams(
    t.testdir({}),
    ...['antrea/throughput', 'antrea/lossy'],
    ...['--set', 'tunnel=geneve,mtu=usual,loss=2,jitter=0,protocol=tcp'],
  );
  t.equal(code, 0, JSON.stringify(report.streams.map(({ result }) => result.differences)));
  const [full, lossy] = report.streams;
  t.match(full?.result.measured.frames, [{ bytes: 1514, payload: 1398 }]);
  t.ok((lossy?.result.losses.lost ?? 0) > 0, 'the link loses');
  t.same(lossy?.result.losses.unexplained, []);
});

const faults: Readonly<Record<StreamFault, RegExp>> = {
  // TCP learns the smaller MTU of its path (RFC 1191), and sends that much less.
  'header-more': /of 1514 bytes with 1390 of data; expected/,
  'wrong-mtu': /frames of 1464 bytes with 1348 of data; expected 1514 with 1398/,
  // Linux 7.2 counts the headers of all that they become, so that goodput is that of the link.
  'super-packets': /frames of 64424 bytes with 64308 of data; expected 1514 with 1398/,
  policer: /goodput [45]\d\.\d+ Mbit\/s[^]*packets lost on a link without loss/,
};

for (const [fault, found] of Object.entries(faults))
  void t.test(`${fault} is found`, { skip, timeout: limitMs }, async (t) => {
    const { code, report } = await streams(
      t.testdir({}),
      ...['antrea/throughput', '--set', 'tunnel=geneve,mtu=usual,protocol=tcp'],
      ...['--fault', fault],
    );
    t.equal(code, 1);
    t.match(report.streams[0]?.result.differences.join('\n'), found);
  });

void t.test('what there is not', async (t) => {
  const refused = async (...words: readonly string[]) =>
    (await flowbedIn(t.testdir({}), ['streams', ...words])).stderr;
  t.match(await refused('antrea/rain'), /antrea\/rain.*antrea\/throughput, antrea\/lossy/);
  t.match(await refused('--fault', 'rain'), /rain.*wrong-mtu/);
  t.match(await refused('--world', 'moon'), /moon.*host/);
  t.match(await refused('--set', 'mtu=1'), /mtu of antrea\/throughput/);
});
