/** What the bridges of nodes hold, read by as few starts of a program as may be. */
import { heldBy } from '../../ovs/ofctl.js';
import type { Image } from '../../ovs/image.js';
import type { HeldProgram } from '../testbed.js';
import type { SimNode } from './node.js';

/**
 * A start costs a program as large as this one more than a dump does, and dumps of one start come
 * one after the other.
 */
const nodesAStart = 4;

/** @throws Unavailable when a daemon has ended, or does not answer. */
export async function programsHeld(
  image: Image,
  nodes: readonly SimNode[],
): Promise<readonly HeldProgram[]> {
  const starts = Array.from({ length: Math.ceil(nodes.length / nodesAStart) }, (_, index) =>
    readTogether(image, nodes.slice(index * nodesAStart, (index + 1) * nodesAStart)),
  );
  return (await Promise.all(starts)).flat();
}

async function readTogether(
  image: Image,
  nodes: readonly SimNode[],
): Promise<readonly HeldProgram[]> {
  const places = nodes.flatMap(({ name, vswitch, bridges }) =>
    bridges().map((bridge) => ({ node: name, bridge, runDir: vswitch.dir })),
  );
  const reading = nodes.reduce(
    (work, { vswitch }) => vswitch.whileAlive(work),
    heldBy(image, places),
  );
  return (await reading).map((held, index) => {
    const { node = '', bridge = '' } = places[index] ?? {};
    return { node, bridge, ...held };
  });
}
