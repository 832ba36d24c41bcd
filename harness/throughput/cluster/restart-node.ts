/** A node of a real cluster that restarts whole, while hosts run on and talk. */
import type { Teardown } from '../../base/concurrency/teardown.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Ofctl } from '../../ovs/openflow/ofctl.js';
import type { Image } from '../../ovs/process/image.js';
import { startVswitchAgain, type Vswitch } from '../../ovs/vswitch.js';
import type { Places } from '../../testbeds/backend.js';
import { findBridges } from '../../testbeds/sim/configure/bring-up.js';
import { forgetInterfaces } from '../../testbeds/sim/configure/configure.js';
import { setBridgesAgain } from '../../testbeds/sim/configure/program.js';
import { wiredPorts } from '../../testbeds/sim/configure/interface-plan.js';
import type { Devices } from '../../testbeds/sim/devices.js';
import { openRealDevices, type BetweenNodes, type RealDevices } from './real-devices.js';

export interface OpenNode {
  readonly dir: string;
  readonly plan: NodePlan;
  readonly vswitch: Vswitch;
  readonly devices: RealDevices;
  readonly ofctl: Ofctl;
}

interface RestartSettings {
  readonly places: Places;
  readonly podMtu: number;
  readonly between: BetweenNodes;
  readonly teardown: Teardown;
}

/**
 * Its daemons end, and what they ran in; they come again with their database, and without flows.
 * @throws Unavailable for what does not come up; what has come is closed by `teardown`.
 */
export async function restartNode(
  { dir, plan, vswitch: ended, devices: gone, ofctl }: OpenNode,
  image: Image,
  { places, podMtu, between, teardown }: RestartSettings,
): Promise<OpenNode> {
  await ended.stop();
  const links = await gone.keepLinks();
  const { datapath } = places;
  const place = await places.placeOf(plan, dir);
  const devices = await openRealDevices({ plan, between, podMtu, datapath, place }, links);
  teardown.add(() => devices.close());
  const wires = [];
  for (const port of wiredPorts(plan)) wires.push(await devices.wireOf(plan, port));
  const owner = `node ${plan.node}`;
  const operations = [forgetInterfaces];
  const vswitch = await startVswitchAgain(image, owner, dir, operations, devices.process);
  teardown.add(() => vswitch.stop());
  await vswitch.whileAlive(findBridges(plan, vswitch, devices as unknown as Devices, wires));
  await vswitch.whileAlive(setBridgesAgain(plan, ofctl));
  await devices.configureStacks();
  return { dir, plan, vswitch, devices, ofctl };
}
