/** A node whose switches hold another program, which others have given them. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { adoptPorts } from './configure/bring-up.js';
import { wiredPorts } from './configure/interface-plan.js';
import { programInstrumentsOf, type NodeInstruments } from './node-instruments.js';

/**
 * Takes the plan for what the switches hold now: flows count from zero, what is cached of those
 * before is thrown away, and connections are as they were.
 */
export async function reprogram(node: NodeInstruments, plan: NodePlan): Promise<void> {
  const { vswitch, neighbours, traffic } = node;
  node.plan = plan;
  node.touched = 'yes';
  await traffic.plugged(wiredPorts(plan));
  await vswitch.whileAlive(adoptPorts(plan, vswitch, node.devices, node.wires));
  Object.assign(
    node,
    programInstrumentsOf(plan, node, () => node.plan),
  );
  await node.flowCounters.purge();
  await neighbours.quiesce();
  await traffic.quiet();
  await node.flowCounters.begin('as they are dumped');
  node.quiesce.begin();
}
