// Goal: what the kernel refuses, and what it is not handed, is what the model says. Method: frozen
// cases of the fuzzer in a guest: labels that are not pushed, a frame that ends behind its tag,
// fields of neighbour discovery, wrong checksums, connections that clash, what recirculates; and
// again on a wire that loses frames.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { kernelFolder } from '../../../images/uml/kernel.js';
import { flowbedIn } from '../flowbed-process.js';
import { project, saidInGuest } from '../testkit/said-in-guest.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';

const frozen = [
  'bits-of-nd-reserved-set',
  'bucket-taken-back',
  'clone-taken-back',
  'cut-off-then-pushed',
  'number-without-tag',
  'neighbour-out-of-sight',
  'payload-out-of-sight',
  'ended-where-another-is',
  'flush-of-one-that-covers',
  'output-before-recirculated-in-kernel',
];

void t.test('frozen cases on a kernel', { skip, timeout: 900_000 }, async (t) => {
  const files = frozen.map((name) => `${name}.json`);
  const folder = t.testdir(
    Object.fromEntries(
      files.map((file) => [file, readFileSync(join(project, 'harness/fuzz/frozen', file), 'utf8')]),
    ),
  );
  const where = ['--backend', 'netns', '--world', 'uml', '--no-shrink', '--json'];
  const ran = await flowbedIn(folder, ['fuzz', 'openflow', '--frozen', folder, ...where]);
  t.equal(ran.code, 0, ran.stderr);
  t.match(JSON.parse(ran.stdout), {
    images: [{ cases: frozen.length, findings: [], unknown: {}, refused: { [refusal]: Number } }],
  });
});

const refusal = 'ovs-ofctl fails on brN: Error OFPBAC_BAD_SET_ARGUMENT';

void t.test('a frame that is lost is found', { skip, timeout: 900_000 }, async (t) => {
  const cases = frozen.map((name) => join(project, `harness/fuzz/frozen/${name}.json`));
  const said = await saidInGuest(t.testdir({}), 'cases-on-wire.js', 'openflow', ...cases);
  t.match(said.join('\n'), /^whole: nothing differs; /m);
  t.match(said.join('\n'), /^lossy: frames .*differs; /m);
});
