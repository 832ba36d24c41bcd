// Goal: sequences are held to the kernel's datapath with nothing in its cache, and a frame that is
// lost on its way out is seen, though counters are asked no more behind each packet. Method: frozen
// cases of TCP, UDP, ICMP and lengths in a guest, and again on a wire that loses frames; one that
// would never end there is left out.
import { join } from 'node:path';
import t from 'tap';
import { kernelFolder } from '../../../images/uml/kernel.js';
import { project, saidInGuest } from '../testkit/said-in-guest.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';

const frozen = [
  'output-before-recirculated-in-kernel',
  'broken-hop-by-hop-in-kernel',
  'given-up-before-answer',
  'udp-stream-of-kernel',
  'icmp-codes-of-kernel',
  'lengths-of-kernel-tracker',
  'generic-timeout-of-kernel',
  'states-of-kernel-tcp',
  'tracked-once-by-kernel',
  'reopened-in-kernel',
  'its-own-answer-in-kernel',
  'ports-drawn-by-kernel',
  'ports-of-udp-hashed-by-kernel',
  'bucket-shown-by-connections',
  'force-behind-another-zone-in-kernel',
  'force-of-error-in-kernel',
  'recirculates-for-ever-in-kernel',
];

void t.test('sequences on a kernel', { skip, timeout: 900_000 }, async (t) => {
  const cases = frozen.map((name) => join(project, `harness/fuzz/frozen/${name}.json`));
  const said = await saidInGuest(t.testdir({}), 'cases-on-wire.js', 'sequences', ...cases);
  t.match(said.join('\n'), /^whole: nothing differs; 0 hit, some missed$/m);
  t.match(said.join('\n'), /^lossy: frames .*differs; 0 hit, some missed$/m);
});
