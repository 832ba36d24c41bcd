/**
 * A cluster whose switches, hosts and clocks are real: what `openSwitches` brings up, with network
 * stacks of the kernel in place of the fabric's, and ovs-vswitchd's clock running.
 */
import { awaitAll } from '../../base/concurrency/await-all.js';
import { createTeardown, type Teardown } from '../../base/concurrency/teardown.js';
import { assert, unknownName } from '../../base/errors/errors.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import { uncompiledPlan } from '../../domain/plan/uncompiled-plan.js';
import { sumOfCounted, type CountedWork } from '../../domain/work.js';
import { openOfctl, type Ofctl } from '../../ovs/openflow/ofctl.js';
import type { Image } from '../../ovs/process/image.js';
import { createDatabase, startVswitch, type Vswitch } from '../../ovs/vswitch.js';
import { createWorkspace } from '../../ovs/workspace/workspace.js';
import { inNamespace } from '../../testbeds/netns/carrier.js';
import type { Places } from '../../testbeds/backend.js';
import { makeBridgesInOrder } from '../../testbeds/sim/configure/bring-up.js';
import { emptyDatabaseIn, nodeFolder } from '../../testbeds/sim/configure/folders.js';
import type { DatapathType } from '../../testbeds/sim/configure/insert-bridge.js';
import { wiredPorts } from '../../testbeds/sim/configure/interface-plan.js';
import { program, setMeters } from '../../testbeds/sim/configure/program.js';
import type { Devices } from '../../testbeds/sim/devices.js';
import { countedWorkOf } from '../../testbeds/sim/observe/counted-work.js';
import { openBetween } from './open-between.js';
import { programAgain, programByOvn, type ProgrammedCluster } from './program-by-ovn.js';
import { segmentsOfStack } from './segments-of-stack.js';
import { raise, withPriority, type Priority, type Scheduling } from './priority.js';
import { restartNode, type OpenNode } from './restart-node.js';
import { useOf, type SwitchUse } from './switch-use.js';
import {
  openOutside,
  openRealDevices,
  type BetweenNodes,
  type RealDevices,
} from './real-devices.js';

export interface RealCluster {
  /** With what OVN has compiled, where it has. */
  readonly plan: ClusterPlan;
  readonly versions: Readonly<Record<string, string>>;
  readonly datapath: DatapathType;
  readonly scheduling: Scheduling;
  /** A command as it is started in the network namespace of a host. */
  inHost(
    host: string,
    command: readonly [string, ...string[]],
    priority?: Priority,
  ): readonly [string, ...string[]];
  /** What the switches of nodes have used so far; of all where none is named. */
  used(names?: readonly string[]): Promise<SwitchUse>;
  /** What the datapaths of these have counted; undefined where they do not say. */
  countedWork(names?: readonly string[]): Promise<CountedWork | undefined>;
  /** Segments of TCP that the stack of a host has taken in and sent so far. */
  segmentsAt(host: string): Promise<number>;
  /** Takes the frames that come out of nodes meanwhile. */
  captureBetween<T>(
    during: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly frames: readonly Uint8Array[] }>;
  readonly ofctl: ReadonlyMap<string, Ofctl>;
  readonly devices: ReadonlyMap<string, RealDevices>;
  /** Where uplinks of nodes end, in the order of nodes: `end1`, … */
  readonly between: BetweenNodes;
  readonly vswitches: ReadonlyMap<string, Vswitch>;
  /**
   * Both daemons of a node end, and its namespace or container; they come without flows. OVN
   * programs its own bridge again.
   */
  restartNode(node: string): Promise<void>;
  close(): Promise<void>;
}

export interface ClusterSettings {
  readonly places: Places;
  readonly teardown: Teardown;
  /** What a pod's interface carries at most. */
  readonly podMtu: number;
  /** A fault: what that of clients carries. */
  readonly faultyMtu?: number;
  /** As it should be; `as usual` where it is missing. */
  readonly scheduling?: Scheduling;
}

/** @throws Unavailable for what does not come up; nothing is left then. */
export async function openRealCluster(
  plan: ClusterPlan,
  image: Image,
  { places, teardown, podMtu, faultyMtu, scheduling: wanted = 'as usual' }: ClusterSettings,
): Promise<RealCluster> {
  const undo = createTeardown();
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= undo.run());
  teardown.add(close);
  try {
    const workspace = await createWorkspace();
    undo.add(() => workspace.remove());
    const between = await openBetween(undo);
    await createDatabase(image, emptyDatabaseIn(workspace.dir));
    const nodes: OpenNode[] = [];
    for (const node of uncompiledPlan(plan).nodes)
      nodes.push(await openNode(node, image, workspace.dir, between, { places, podMtu }, undo));
    const programmed = await programByOvn(plan, image, workspace.dir, nodes, undo);
    const outside = await openOutside(plan, between);
    for (const { devices } of nodes) await devices.configureStacks(faultyMtu);
    const pids = nodes.map(({ vswitch }) => vswitch.vswitchd.pid);
    const scheduling = wanted === 'as usual' ? wanted : await raise(pids);
    const restart = (node: OpenNode) =>
      restartNode(node, image, { places, podMtu, between, teardown: undo });
    return clusterOf(programmed, places.datapath, {
      ...{ nodes, outside, between, scheduling, restart, close },
    });
  } catch (error) {
    await close();
    throw error;
  }
}

interface OpenParts {
  readonly nodes: OpenNode[];
  readonly restart: (node: OpenNode) => Promise<OpenNode>;
  readonly outside: ReadonlyMap<string, number>;
  readonly between: BetweenNodes;
  readonly scheduling: Scheduling;
  readonly close: () => Promise<void>;
}

function clusterOf(
  programmed: ProgrammedCluster,
  datapath: DatapathType,
  { nodes, outside, between, scheduling, restart, close }: OpenParts,
): RealCluster {
  const holders = new Map([...outside, ...nodes.flatMap(({ devices }) => [...devices.holders])]);
  const [first] = nodes;
  const devices = new Map(nodes.map((node) => [node.plan.node, node.devices]));
  const vswitches = new Map(nodes.map((node) => [node.plan.node, node.vswitch]));
  const holderOf = (host: string): number => {
    const holder = holders.get(host);
    if (holder === undefined) throw unknownName('host', host, [...holders.keys()]);
    return holder;
  };
  const daemonsOf = (names: readonly string[] | undefined) =>
    nodes
      .filter(({ plan: { node } }) => names === undefined || names.includes(node))
      .map(({ vswitch: { vswitchd } }) => vswitchd);
  return {
    plan: programmed.plan,
    datapath,
    versions: first === undefined ? {} : { 'ovs-vswitchd': first.vswitch.vswitchd.version },
    scheduling,
    inHost: (host, command, priority = 'others') =>
      inNamespace(holderOf(host), withPriority(scheduling, priority, command)),
    segmentsAt: (host) => segmentsOfStack(holderOf(host)),
    used: async (names) =>
      (await awaitAll(daemonsOf(names).map(useOf))).reduce((sum, { ns, polls, probes }) => ({
        ns: sum.ns + ns,
        polls: sum.polls + polls,
        probes: sum.probes + probes,
      })),
    countedWork: async (names) =>
      sumOfCounted(
        await awaitAll(daemonsOf(names).map(({ unixctl }) => countedWorkOf(unixctl.call))),
      ),
    captureBetween: (during) => between.capture(during),
    between,
    devices,
    ofctl: new Map(nodes.map(({ plan: { node }, ofctl }) => [node, ofctl])),
    vswitches,
    restartNode: async (name) => {
      const at = nodes.findIndex((one) => one.plan.node === name);
      const before = nodes[at];
      assert(before !== undefined, `there is a node ${name}`);
      await programmed.ovn?.endController(name);
      const again = await restart(before);
      nodes.splice(at, 1, again);
      devices.set(name, again.devices);
      vswitches.set(name, again.vswitch);
      await programAgain(programmed, again);
    },
    close,
  };
}

async function openNode(
  plan: NodePlan,
  image: Image,
  root: string,
  between: BetweenNodes,
  { places, podMtu }: Omit<ClusterSettings, 'teardown'>,
  undo: Teardown,
): Promise<OpenNode> {
  const dir = nodeFolder(root, plan.node);
  const devices = await openRealDevices({
    plan,
    between,
    podMtu,
    datapath: places.datapath,
    place: await places.placeOf(plan, dir),
  });
  undo.add(() => devices.close());
  const owner = `node ${plan.node}`;
  const vswitch = await startVswitch(image, owner, dir, emptyDatabaseIn(root), devices.process);
  undo.add(() => vswitch.stop());
  const ofctl = openOfctl(image, dir);
  await vswitch.whileAlive(bringUp(plan, vswitch, devices, ofctl));
  return { dir, plan, vswitch, devices, ofctl };
}

async function bringUp(
  plan: NodePlan,
  vswitch: Vswitch,
  devices: RealDevices,
  ofctl: Ofctl,
): Promise<void> {
  const wires = [];
  for (const port of wiredPorts(plan)) wires.push(await devices.wireOf(plan, port));
  await makeBridgesInOrder(plan, vswitch, devices as unknown as Devices, wires);
  for (const bridge of plan.bridges) await setMeters('add-meter', plan, bridge, ofctl);
  for (const bridge of plan.bridges) await program(plan, bridge, ofctl, vswitch.vswitchd);
}
