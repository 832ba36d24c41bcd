/** Faults in what a running switch holds. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { parseBridgeFlows, parseBridgeGroups } from '../openflow/bridge-program.js';
import { printFlowKey, printFlow } from '../openflow/flows/flow.js';
import type { Image } from '../ovs/process/image.js';
import { openOfctl } from '../ovs/openflow/ofctl.js';
import { printGroup } from '../openflow/groups/print-group.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import { nodeFolder } from '../testbeds/sim/configure/folders.js';
import type { Fault } from './fault.js';
import { faultyBridge, pick } from './faulty-bridge.js';

/** Changes the running switch behind the program's back. */
export async function plantInSwitch(
  sim: OvsSwitches,
  plan: ClusterPlan,
  fault: Extract<Fault, { kind: 'switch' | 'program' }>,
): Promise<void> {
  const { node, bridge } = faultyBridge(plan);
  const flow = pick(node, bridge, fault.flow);
  const changed = fault.change(flow);
  if (changed === undefined)
    await sim.ofctl(
      node.node,
      bridge.name,
      'del-flows',
      printFlowKey(flow).replace(/ priority=\d+,/, ''),
    );
  else await sim.ofctl(node.node, bridge.name, 'add-flow', printFlow(changed));
}

/** By an ovs-ofctl of our own: neither the sim nor who runs it knows. */
export async function plantByOfctl(
  sim: OvsSwitches,
  image: Image,
  plan: ClusterPlan,
  { commands }: Extract<Fault, { kind: 'held' }>,
): Promise<void> {
  const { node, bridge } = faultyBridge(plan);
  const ofctl = openOfctl(image, nodeFolder(sim.dir, node.node));
  const wanted = {
    flows: parseBridgeFlows(node.node, bridge),
    groups: parseBridgeGroups(node.node, bridge).map((group) => printGroup(group)),
  };
  for (const [command, ...args] of commands(wanted))
    if (command === 'bundle') await ofctl.bundle(bridge.name, args);
    else await ofctl.run(bridge.name, command, ...args);
}
