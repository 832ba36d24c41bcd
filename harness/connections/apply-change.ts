/** A change of the cluster on switches that run, while packets go through them. */
import { assert } from '../base/errors/errors.js';
import { stepsBetween, stepsOfReplay, type AgentStep } from '../control/agent-steps.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { Devices } from '../testbeds/sim/devices.js';
import { findBridges } from '../testbeds/sim/configure/bring-up.js';
import { forgetInterfaces } from '../testbeds/sim/configure/configure.js';
import { setBridgesAgain } from '../testbeds/sim/configure/program.js';
import { wiredPorts } from '../testbeds/sim/configure/interface-plan.js';
import type { RealCluster } from '../throughput/cluster/real-cluster.js';
import type { LiveChange } from './changes.js';
import type { ChangeFault } from './planted-faults.js';

/** @param stopped gets what ends a switch that was started again. */
export async function applyChange(
  cluster: RealCluster,
  { before, after, restarts, ends = 'its switch' }: LiveChange,
  fault: ChangeFault | undefined,
  stopped: (stop: () => Promise<void>) => void,
): Promise<void> {
  const isHeard = fault !== 'change-forgotten';
  if (isHeard) for (const step of stepsBetween(before, after)) await bundle(cluster, step);
  for (const plan of after.nodes)
    if (plan.node === restarts) {
      await (ends === 'its switch'
        ? restart(cluster, plan, stopped)
        : cluster.restartNode(plan.node));
      if (isHeard) for (const step of stepsOfReplay(plan)) await bundle(cluster, step);
    }
}

async function bundle({ ofctl }: RealCluster, step: AgentStep): Promise<void> {
  assert(step.kind === 'change', `agents change flows alone, and have to ${step.kind}`);
  await ofctl.get(step.node)?.bundle(step.bridge, step.lines);
}

/** The database has its bridges and ports; its agent has to give it its program again. */
async function restart(
  cluster: RealCluster,
  plan: NodePlan,
  stopped: (stop: () => Promise<void>) => void,
): Promise<void> {
  const [vswitch, devices, ofctl] = [
    cluster.vswitches.get(plan.node),
    cluster.devices.get(plan.node),
    cluster.ofctl.get(plan.node),
  ];
  assert(
    vswitch !== undefined && devices !== undefined && ofctl !== undefined,
    `node ${plan.node} runs`,
  );
  const started = await vswitch.restart([forgetInterfaces]);
  stopped(async () => {
    started.vswitchd.unixctl.close();
    await started.vswitchd.stop();
  });
  const wires = await Promise.all(wiredPorts(plan).map((port) => devices.wireOf(plan, port)));
  await findBridges(plan, started, devices as unknown as Devices, wires);
  await setBridgesAgain(plan, ofctl);
  await devices.configureStacks();
}
