/** OVN's own daemons beside the switches of a cluster that are real: they compile its program. */
import type { Teardown } from '../../base/concurrency/teardown.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import { compiledPlan } from '../../ovn/compiled-plan.js';
import { startOvn, type Ovn } from '../../ovn/ovn.js';
import type { Image } from '../../ovs/process/image.js';
import { adoptPorts } from '../../testbeds/sim/configure/bring-up.js';
import type { Devices } from '../../testbeds/sim/devices.js';
import type { Vswitch } from '../../ovs/vswitch.js';
import type { RealDevices } from './real-devices.js';

interface ProgrammedNode {
  readonly plan: NodePlan;
  readonly vswitch: Vswitch;
  readonly devices: RealDevices;
}

/** What a cluster is programmed with, and OVN, where it is OVN that has done so. */
export interface ProgrammedCluster {
  readonly plan: ClusterPlan;
  readonly ovn?: Ovn;
}

/**
 * They keep running until `undo`, and what they have programmed by then is in the plan; without
 * northbound rows it is the plan as it was. @throws Unavailable where they do not come up.
 */
export async function programByOvn(
  plan: ClusterPlan,
  image: Image,
  dir: string,
  nodes: readonly ProgrammedNode[],
  undo: Teardown,
): Promise<ProgrammedCluster> {
  const { northbound } = plan;
  if (northbound === undefined) return { plan };
  const vswitches = new Map(nodes.map(({ plan: { node }, vswitch }) => [node, vswitch]));
  const ovn = await startOvn(northbound, image, dir, vswitches);
  undo.add(() => ovn.stop());
  const compiled = compiledPlan(plan, await ovn.apply(northbound));
  for (const node of nodes) await adopt(compiled, node);
  return { plan: compiled, ovn };
}

/**
 * ovn-controller of a node that has restarted starts again, and programs its bridge.
 * @throws Unavailable where it does not come up.
 */
export async function programAgain(
  { plan, ovn }: ProgrammedCluster,
  node: ProgrammedNode,
): Promise<void> {
  if (plan.northbound === undefined || ovn === undefined) return;
  await ovn.startControllers(() => node.vswitch);
  await adopt(compiledPlan(plan, await ovn.apply(plan.northbound)), node);
}

async function adopt(
  { nodes }: ClusterPlan,
  { plan: { node }, vswitch, devices }: ProgrammedNode,
): Promise<void> {
  const now = nodes.find((one) => one.node === node);
  if (now !== undefined)
    await vswitch.whileAlive(adoptPorts(now, vswitch, devices as unknown as Devices, []));
}
