import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { within } from '../../base/files/path-part.js';
import { Unavailable } from '../../base/errors/errors.js';
import { openContainerlab } from '../../containerlab/containerlab.js';
import { printLabFile } from '../../containerlab/lab-file.js';
import { attachToContainer, ownerLabel } from '../../docker/container.js';
import { connectEngine, type Engine } from '../../docker/engine.js';
import { nodeImageOf } from '../../docker/node-image.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Image } from '../../ovs/process/image.js';
import { answerableOwner, formatOwner } from '../../ovs/process/owner.js';
import type { Backend } from '../backend.js';
import { centralOf, requireRoot, requireTun } from '../docker/docker-backend.js';
import { openOnDevices } from '../kernel/named-devices.js';
import { programOnPath } from '../machine-finding.js';
import { hasKernelDatapath } from '../netns/kernel-datapath.js';
import { namespaceDevices, type NodePlace } from '../netns/namespace-devices.js';
import { openSwitches } from '../sim/sim.js';
import { containerName, labNode, labOfPlan } from './lab-of-plan.js';

/** Nodes as containers that containerlab deploys; their networks are made as on `netns`. */
export const containerlab: Backend = {
  name: 'containerlab',
  summary: 'nodes as containers of a lab that containerlab deploys; needs root',
  doctor: async () => [
    await programOnPath(
      'containerlab',
      'optional',
      'deploys labs for backend containerlab',
      'https://containerlab.dev/install/',
    ),
  ],
  open: async (plan, image, options = {}) => {
    requireRoot();
    await requireTun();
    await openContainerlab().version();
    const engine = await connectEngine();
    const { reference } = await nodeImageOf(engine, image);
    const datapath = (await hasKernelDatapath()) ? 'system' : 'netdev';
    const devices = namespaceDevices(datapath, labPlaces(engine, plan, image, reference));
    const central = (dir: string) => centralOf(engine, image, reference, dir);
    return await openOnDevices(plan, options, (named, use) =>
      openSwitches('containerlab', devices, named, image, use, central),
    );
  },
};

interface RunningLab {
  readonly name: string;
  /** Ids of containers, by their names. */
  readonly containers: ReadonlyMap<string, string>;
  /** A node has left; with the last one the lab goes. */
  leave(): Promise<void>;
}

/** All nodes of the plan are one lab; a node that joins later is a lab of its own. */
function labPlaces(engine: Engine, plan: ClusterPlan, { root = '' }: Image, reference: string) {
  const waiting = new Set(plan.nodes.map(({ node }) => node));
  const size = waiting.size;
  let whole: Promise<RunningLab> | undefined;
  return async (node: NodePlan, dir: string): Promise<NodePlace> => {
    const folder = dirname(dir);
    const isFirst = waiting.delete(node.node);
    const lab = await (isFirst
      ? (whole ??= deployLab(plan, basename(folder), folder, reference, size))
      : deployLab(
          { nodes: [node] },
          `${basename(folder)}-${labNode(node.node)}`,
          folder,
          reference,
          1,
        ));
    try {
      const name = containerName(lab.name, node.node);
      const id = lab.containers.get(name);
      if (id === undefined) throw new Unavailable(`containerlab has deployed no node ${name}`);
      const container = await attachToContainer(engine, id, {
        owner: `node ${node.node}`,
        name,
        root,
      });
      return {
        namespace: { of: container.pid },
        launch: container.launch,
        close: () => lab.leave(),
      };
    } catch (error) {
      await lab.leave();
      throw error;
    }
  };
}

async function deployLab(
  plan: ClusterPlan,
  name: string,
  folder: string,
  image: string,
  nodes: number,
): Promise<RunningLab> {
  const program = openContainerlab({ labFolders: folder });
  const file = within(folder, name, '.clab.yml');
  const labels = { [ownerLabel]: formatOwner(await answerableOwner()) };
  await writeFile(file, printLabFile(labOfPlan(plan, { name, image, folder, labels })));
  let left = 0;
  const destroy = () => program.destroy({ file }, { cleanup: true });
  try {
    const deployed = await program.deploy(file);
    return {
      name,
      containers: new Map(
        deployed.map((container) => [container.name, container.container_id] as const),
      ),
      leave: async () => {
        left += 1;
        if (left === nodes) await destroy();
      },
    };
  } catch (error) {
    await destroy().catch(() => undefined); // the failure is why it is not there
    throw error;
  }
}
