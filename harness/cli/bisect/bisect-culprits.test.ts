// Goal: of components that differ, the fewest are found that bring a change: one, two that bring it
// only together, or any of two that do alone. Method: a judge that knows what is behind it.
import t from 'tap';
import { culpritsAmong } from './bisect-culprits.js';
import type { Component, World } from './bisect-world.js';

const differing: readonly Component[] = ['image', 'repo', 'ovs'];
const [good, bad] = (['old', 'new'] as const).map(
  (version): World => Object.fromEntries(differing.map((one) => [one, version])),
);

async function culprits(isBad: (world: World) => boolean) {
  const printed: string[] = [];
  const found = await culpritsAmong(
    { print: (line) => void printed.push(line) },
    { isBad: (world) => Promise.resolve({ kind: isBad(world) ? 'bad' : 'good' }) },
    differing,
    good ?? {},
    bad ?? {},
  );
  return { found, printed };
}

void t.test('one alone', async (t) => {
  const { found, printed } = await culprits(({ repo }) => repo === 'new');
  t.same(found, ['repo']);
  t.equal(printed.at(-1), '# it is repo: the others may stay');
  t.ok(printed.includes('# image=old,repo=new,ovs=old: bad'), printed.join('; '));
});

void t.test('two that bring it only together', async (t) => {
  const { found } = await culprits(({ image, ovs }) => image === 'new' && ovs === 'new');
  t.same(found, ['image', 'ovs']);
});

void t.test('either of two: one of them is enough', async (t) => {
  const { found } = await culprits(({ image, ovs }) => image === 'new' || ovs === 'new');
  t.equal(found.length, 1);
});
