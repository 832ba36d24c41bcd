/** Brings one node of the sim up, and starts it again. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Image } from '../../ovs/process/image.js';
import { openOfctl, type Ofctl } from '../../ovs/openflow/ofctl.js';
import { startVswitch, startVswitchAgain, type Vswitch } from '../../ovs/vswitch.js';
import { neverCached, type ProgramUse } from '../ovs-switches.js';
import { adoptPorts, cacheNothing, findBridges, makeBridges } from './configure/bring-up.js';
import { program, setBridgesAgain, setMeters } from './configure/program.js';
import { forgetInterfaces } from './configure/configure.js';
import { wiredPorts } from './configure/interface-plan.js';
import { underlayOf, type Underlay } from './configure/underlay.js';
import type { Devices, DevicesOf } from './devices.js';
import { instrumentsOf, type NodeInstruments } from './node-instruments.js';
import {
  answering,
  connectControllers,
  type Answered,
  type Controllers,
} from './observe/controllers.js';
import { stopClock } from './quiesce/clock.js';
import { simNodeOf, type SimNode } from './sim-node.js';
import type { Wire } from './traffic/port-socket.js';

/**
 * Brings one node up as planned, with its flows. @throws Unavailable naming what is not as planned;
 * then nothing of it is left.
 */
export async function openNode(
  plan: NodePlan,
  image: Image,
  dir: string,
  emptyDatabase: string,
  devicesOf: DevicesOf,
  use: ProgramUse = 'brought back',
): Promise<SimNode> {
  const devices = await devicesOf(plan, dir);
  const owner = `node ${plan.node}`;
  const started = startVswitch(image, owner, dir, emptyDatabase, devices.process);
  const vswitch = await started.catch(async (error: unknown) => {
    await devices.close();
    throw error;
  });
  const ofctl = openOfctl(image, dir);
  // What a reset reads of many nodes, of which most are never touched, is read where one is.
  const touched =
    devices.frames === 'of calls alone' && !isProgrammedByOthers(plan) ? 'never' : 'yes';
  const home = { image, owner, dir, devicesOf };
  const parts = { vswitch, devices, ofctl, home, use, touched } as const;
  const node = await connect(plan, parts, async (wires) => {
    await makeBridges(plan, vswitch, devices, wires);
    if (use === neverCached) await cacheNothing(vswitch);
    // One after the other: a packet that a controller resumes is metered by the first meter of all
    // bridges (model/tables/meters.ts).
    for (const bridge of plan.bridges) await setMeters('add-meter', plan, bridge, ofctl);
    await Promise.all(plan.bridges.map((bridge) => program(plan, bridge, ofctl, vswitch.vswitchd)));
  });
  await node.reset().catch(async (error: unknown) => {
    await node.close();
    throw error;
  });
  return node;
}

function isProgrammedByOthers({ bridges }: NodePlan): boolean {
  return bridges.some(({ origin }) => origin === 'dumped');
}

/** What a node that restarts whole comes again from. */
interface NodeHome {
  readonly image: Image;
  readonly owner: string;
  readonly dir: string;
  readonly devicesOf: DevicesOf;
}

/** A daemon at hand. */
interface NodeDaemon {
  readonly home: NodeHome;
  readonly vswitch: Vswitch;
  readonly devices: Devices;
  readonly ofctl: Ofctl;
  readonly use: ProgramUse;
  readonly touched: NodeInstruments['touched'];
  /** Of who programs its bridges from outside, where there is somebody. */
  readonly answered?: Answered;
}

/** The same with its clock stopped, and its ports attached. */
interface AttachedNode extends NodeDaemon {
  readonly wires: Wire[];
  readonly controllers: Controllers;
}

/**
 * Stops the clock of a daemon that has just started, listens at its ports, and has it configured.
 * @param wires where somebody listens already. @throws Unavailable; then nothing is left running.
 */
async function connect(
  plan: NodePlan,
  daemon: NodeDaemon,
  configure: (wires: readonly Wire[]) => Promise<void>,
  wires: Wire[] = [],
): Promise<SimNode> {
  const { vswitch, devices } = daemon;
  let controllers: Controllers | undefined;
  try {
    await stopClock(vswitch.vswitchd.unixctl);
    if (wires.length === 0) await listen(plan, devices, wires);
    await vswitch.whileAlive(configure(wires));
    const own = await vswitch.whileAlive(connectControllers(plan, vswitch.dir, vswitch.vswitchd));
    controllers = daemon.answered === undefined ? own : answering(own, daemon.answered);
    const underlay = await underlayOf(plan, vswitch.vswitchd);
    return nodeOver({ ...daemon, wires, controllers }, plan, underlay);
  } catch (error) {
    controllers?.close();
    await Promise.all(wires.map((wire) => wire.close()));
    await vswitch.stop();
    await devices.close();
    throw error;
  }
}

async function listen(plan: NodePlan, devices: Devices, wires: Wire[]): Promise<void> {
  for (const port of wiredPorts(plan)) wires.push(await devices.wireOf(plan, port));
}

/**
 * Both daemons end, and what they are in; then all of it comes again. Devices at ports are there
 * before the switch looks for them.
 */
async function restartWhole(daemon: NodeDaemon, plan: NodePlan): Promise<SimNode> {
  const { image, owner, dir, devicesOf } = daemon.home;
  await daemon.vswitch.stop();
  await daemon.devices.close();
  const devices = await devicesOf(plan, dir);
  const wires: Wire[] = [];
  const started = listen(plan, devices, wires).then(() =>
    startVswitchAgain(image, owner, dir, [forgetInterfaces], devices.process),
  );
  const vswitch = await started.catch(async (error: unknown) => {
    await Promise.all(wires.map((wire) => wire.close()));
    await devices.close();
    throw error;
  });
  const parts = { ...daemon, vswitch, devices, touched: 'yes' } as const;
  return await connect(plan, parts, () => findAgain(plan, parts, wires), wires);
}

async function findAgain(
  plan: NodePlan,
  { vswitch, devices, ofctl }: NodeDaemon,
  wires: readonly Wire[],
): Promise<void> {
  await findBridges(plan, vswitch, devices, wires);
  await setBridgesAgain(plan, ofctl);
}

function nodeOver(attached: AttachedNode, planned: NodePlan, underlay: Underlay): SimNode {
  const { vswitch, devices, wires, controllers } = attached;
  const instruments = instrumentsOf(planned, { ...attached, underlay });
  const release = async () => {
    controllers.close();
    await Promise.all([...wires.map((wire) => wire.close()), instruments.revalidation.close()]);
  };
  return simNodeOf(instruments, {
    close: async () => {
      await release();
      await vswitch.stop();
      await devices.close();
    },
    restart: async ({ whole }) => {
      await release();
      if (whole === true) return await restartWhole(attached, instruments.plan);
      const started = await vswitch.restart([forgetInterfaces]);
      const { plan } = instruments;
      const parts = { ...attached, vswitch: started, touched: 'yes' } as const;
      return await connect(plan, parts, (ports) => findAgain(plan, parts, ports));
    },
    adopt: async (plan, answered) => {
      await vswitch.whileAlive(adoptPorts(plan, vswitch, devices, wires));
      await instruments.revalidation.close();
      const node = nodeOver(
        { ...attached, controllers: answering(controllers, answered), answered, touched: 'yes' },
        plan,
        await underlayOf(plan, vswitch.vswitchd),
      );
      await node.reset();
      return node;
    },
  });
}
