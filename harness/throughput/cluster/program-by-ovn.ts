/** OVN's own daemons beside the switches of a cluster that are real: they compile its program. */
import type { Teardown } from '../../base/concurrency/teardown.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import { compiledPlan } from '../../ovn/compiled-plan.js';
import { startOvn } from '../../ovn/ovn.js';
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
): Promise<ClusterPlan> {
  const { northbound } = plan;
  if (northbound === undefined) return plan;
  const vswitches = new Map(nodes.map(({ plan: { node }, vswitch }) => [node, vswitch]));
  const ovn = await startOvn(northbound, image, dir, vswitches);
  undo.add(() => ovn.stop());
  const compiled = compiledPlan(plan, await ovn.apply(northbound));
  for (const {
    plan: { node },
    vswitch,
    devices,
  } of nodes) {
    const now = compiled.nodes.find((one) => one.node === node);
    if (now !== undefined)
      await vswitch.whileAlive(adoptPorts(now, vswitch, devices as unknown as Devices, []));
  }
  return compiled;
}
