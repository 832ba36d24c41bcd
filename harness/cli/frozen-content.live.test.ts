/**
 * Goal: what `fuzz ovn` has found once stays mended or named on every version of OVN, and without
 * the rule that a case is there for something differs. Method: each case of `frozen/`, one after
 * the other on a cluster of each version. SUITE=trixie for one.
 */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { contentNetwork } from '../../topologies/generated/draw-ovn-content.js';
import { ovn } from '../control/ovn/index.js';
import { withContent } from '../control/ovn/with-content.js';
import { openSim } from '../testbeds/sim/sim.js';
import { readFrozen } from '../fuzz/ovn/frozen-content.js';
import { lateLoadBalancer } from '../fuzz/ovn/late-load-balancers.js';
import { playContent } from '../fuzz/ovn/play-content.js';

const folder = join(fileURLToPath(new URL('../../..', import.meta.url)), 'harness/fuzz/ovn/frozen');
const files = (await readdir(folder)).toSorted();

for (const suite of (process.env['SUITE'] ?? 'trixie,sid').split(','))
  void t.test(`frozen content on ${suite}`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const plan = ovn().plan(contentNetwork);
    const real = await openSim(plan, image);
    t.teardown(() => real.close());
    const sides = {
      real,
      version: suite,
      plan: real.compiled ?? plan,
      planOf: (content: Parameters<typeof withContent>[1], before: typeof plan) =>
        withContent(ovn().plan(contentNetwork, before), content),
    };
    for (const [index, file] of files.entries()) {
      const { before, behind = [], perhaps = [], ...held } = await readFrozen(join(folder, file));
      const { content, stimuli, found: foundOn, leftOut: wanted = [] } = held;
      if (before !== undefined)
        await playContent(sides, { index, content: before, stimuli: [] }, 1);
      const { differences, refused, supposed, leftOut, packets } = await playContent(
        sides,
        { index, content, stimuli },
        1,
      );
      t.strictSame([differences, refused], [[], []], file);
      const found = [...new Set(supposed)].filter((one) => !perhaps.includes(one));
      t.strictSame(found.toSorted(), behind.toSorted(), file);
      const isOneOf = foundOn.includes(`${suite} ${real.versions['ovn-northd'] ?? ''}`);
      const known = leftOut.filter((one) => one === lateLoadBalancer);
      t.strictSame(known, isOneOf ? wanted : [], file);
      t.ok(packets > 0 || stimuli.length === 0, `${packets} packets of ${file}`);
    }
  });
