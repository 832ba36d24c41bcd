/** What the bridges of nodes hold, read by as few starts of a program as may be. */
import { dumpBridges } from '../../../ovs/openflow/ofctl.js';
import { withOptionMasks } from '../../../ovs/openflow/option-masks.js';
import type { Image } from '../../../ovs/process/image.js';
import type { DumpedProgram } from '../../testbed.js';
import type { SimNode } from '../sim-node.js';

/**
 * A start costs a program as large as this one more than a dump does, and dumps of one start come
 * one after the other.
 */
const nodesPerProcess = 4;

/** @throws Unavailable when a daemon has ended, or does not answer. */
export async function dumpPrograms(
  image: Image,
  nodes: readonly SimNode[],
): Promise<readonly DumpedProgram[]> {
  const starts = Array.from({ length: Math.ceil(nodes.length / nodesPerProcess) }, (_, index) =>
    dumpProgramsOf(image, nodes.slice(index * nodesPerProcess, (index + 1) * nodesPerProcess)),
  );
  return (await Promise.all(starts)).flat();
}

async function dumpProgramsOf(
  image: Image,
  nodes: readonly SimNode[],
): Promise<readonly DumpedProgram[]> {
  const places = nodes.flatMap(({ name, vswitch, bridges }) =>
    bridges().map((bridge) => ({ node: name, bridge, runDir: vswitch.dir })),
  );
  const reading = nodes.reduce(
    (work, { vswitch }) => vswitch.whileAlive(work),
    dumpBridges(image, places),
  );
  return await Promise.all(
    (await reading).map(async (held, index) => {
      const { node = '', bridge = '' } = places[index] ?? {};
      const vswitch = nodes.find(({ name }) => name === node)?.vswitch;
      const isMasked = held.flows.some((flow) => flow.includes('tun_metadata'));
      const flows =
        vswitch === undefined || !isMasked
          ? held.flows
          : withOptionMasks(
              held.flows,
              await vswitch.vswitchd.unixctl.call('bridge/dump-flows', bridge),
            );
      return { node, bridge, ...held, flows };
    }),
  );
}
