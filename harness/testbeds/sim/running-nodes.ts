/** The nodes of a running sim: calls find theirs by name, and nodes join, change and leave. */
import { assertNever, unknownName } from '../../base/errors/errors.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Reconfiguration, SwitchCall, SwitchStep } from '../../domain/switching.js';
import type { Image } from '../../ovs/process/image.js';
import type { ProgramUse } from '../ovs-switches.js';
import { checkNames } from './configure/check-names.js';
import { emptyDatabaseIn, nodeFolder, renameLeftFolder } from './configure/folders.js';
import type { DevicesOf } from './devices.js';
import { openNode } from './open-node.js';
import type { SimNode } from './sim-node.js';

export interface RunningNodes {
  /** Ordered by name. */
  all(): readonly SimNode[];
  /** @throws InputError naming the nodes that there are. */
  find(name: string): SimNode;
  /** Brings a node up beside the others. @throws Unavailable; then nothing of it is left. */
  open(plan: NodePlan): Promise<void>;
  reconfigure(change: Reconfiguration): Promise<void>;
  /** Puts nodes that OVN has programmed in the place of those that came up. */
  adopt(plans: readonly NodePlan[], answered: (node: string) => Promise<number>): Promise<void>;
}

/** @param dir folder of all nodes' folders, and of the empty database. */
export function runningNodesIn(
  dir: string,
  image: Image,
  devicesOf: DevicesOf,
  use?: ProgramUse,
): RunningNodes {
  const nodes: SimNode[] = [];
  const find = (name: string) => {
    const node = nodes.find((candidate) => candidate.name === name);
    if (node === undefined)
      throw unknownName(
        'node',
        name,
        nodes.map((candidate) => candidate.name),
      );
    return node;
  };
  const open = async (plan: NodePlan) => {
    const folder = nodeFolder(dir, plan.node);
    checkNames(plan, folder);
    nodes.push(await openNode(plan, image, folder, emptyDatabaseIn(dir), devicesOf, use));
    nodes.sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    all: () => nodes,
    find,
    open,
    adopt: async (plans, answered) => {
      await Promise.all(
        plans.map(async (plan) => {
          const node = find(plan.node);
          nodes[nodes.indexOf(node)] = await node.adopt(plan, () => answered(plan.node));
        }),
      );
    },
    reconfigure: async (change) => {
      if (change.kind === 'join') return await open(change.plan);
      const node = find(change.node);
      if (change.kind !== 'leave')
        return void nodes.splice(nodes.indexOf(node), 1, await node.reconfigure(change));
      nodes.splice(nodes.indexOf(node), 1);
      await node.close();
      await renameLeftFolder(nodeFolder(dir, change.node));
    },
  };
}

export async function applyCall(node: SimNode, call: SwitchCall): Promise<SwitchStep> {
  switch (call.kind) {
    case 'receive':
      return await node.receive(call.port, call.frames, call.areApart);
    case 'advance':
      return await node.advance(call.ms);
    case 'announce':
      return await node.takeAnnounced();
    case 'change':
      return await node.change(call.bridge, call.lines);
    case 'link':
      return await node.link(call.port, call.state);
    case 'flush':
      return await node.flush(call);
    default:
      return assertNever(call);
  }
}
