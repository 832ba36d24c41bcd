/**
 * One node of the sim testbed: real daemons, with a wire of ours at every port and the clock in our
 * hand.
 */
import { assert, assertNever } from '../../base/errors/errors.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { staticMacsOf } from '../../domain/plan/static-macs.js';
import type { SwitchState } from '../../domain/switch-state.js';
import type {
  FlowCount,
  CacheLookups,
  Reconfiguration,
  SwitchStep,
} from '../../domain/switching.js';
import type { Image } from '../../ovs/process/image.js';
import { openOfctl, type Ofctl } from '../../ovs/openflow/ofctl.js';
import type { Version } from '../../ovs/openflow/openflow-messages.js';
import { startVswitch, type Vswitch } from '../../ovs/vswitch.js';
import type { StrayFrame } from '../testbed.js';
import {
  adoptTunnels,
  findBridges,
  makeBridges,
  program,
  setMeters,
} from './configure/bring-up.js';
import { stopClock } from './quiesce/clock.js';
import { forgetInterfaces } from './configure/configure.js';
import { wiredPorts } from './configure/interface-plan.js';
import { connectionsOf } from './observe/connections.js';
import { connectControllers, type Controllers } from './observe/controllers.js';
import { flowCountersOf } from './observe/flow-counters.js';
import { learnWatchOf } from './quiesce/learn-watch.js';
import { linksOf } from './configure/links.js';
import { oneMainLoopIteration } from './quiesce/main-loop.js';
import { neighboursOf } from './quiesce/native-tunnel-neighbours.js';
import type { PortSocket } from './traffic/port-socket.js';
import { programStateOf } from './observe/program-state.js';
import { attach, detach, setPlannedNeighbours, type NodeParts } from './configure/change-node.js';
import { revalidationOf } from './quiesce/revalidation.js';
import { quiesceOf } from './quiesce/quiesce.js';
import type { ProgramUse } from '../ovs-switches.js';
import { parseMacs, parseMulticast } from './observe/parse-switch-state.js';
import { trafficOf } from './traffic/traffic.js';
import { underlayOf, type Underlay } from './configure/underlay.js';
import { wireOf } from './traffic/wires.js';

export type NodeChange = Exclude<Reconfiguration, { readonly kind: 'join' | 'leave' }>;

export interface SimNode {
  readonly name: string;
  readonly vswitch: Vswitch;
  /** @param areApart no frame leads to anything that decides over another one of them. */
  receive(port: string, frames: readonly Uint8Array[], areApart?: true): Promise<SwitchStep>;
  advance(ms: number): Promise<SwitchStep>;
  change(bridge: string, lines: readonly string[]): Promise<SwitchStep>;
  link(port: string, state: 'up' | 'down'): Promise<SwitchStep>;
  flush(which: { readonly zone?: number; readonly tuple?: string }): Promise<SwitchStep>;
  /**
   * The node as it is afterwards; this one is of no use any more. When it fails, this one is still
   * to be closed.
   */
  reconfigure(change: NodeChange): Promise<SimNode>;
  reset(): Promise<void>;
  counts(): Promise<readonly FlowCount[]>;
  assertUndisturbed(): Promise<void>;
  /**
   * The node once others have programmed its switch as in `plan`, and made tunnels; this one is of
   * no use any more.
   */
  adopt(plan: NodePlan): Promise<SimNode>;
  purge(): Promise<void>;
  state(): Promise<SwitchState>;
  lookups(): CacheLookups;
  strays(): Promise<readonly StrayFrame[]>;
  /** Their names. */
  bridges(): readonly string[];
  ofctl(bridge: string, command: string, ...args: readonly string[]): Promise<string>;
  dumpFlows(bridge: string): Promise<string>;
  bundle(bridge: string, lines: readonly string[]): Promise<void>;
  send(bridge: string, version: Version, messages: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

/** A dummy port drops without a word what its queue of 100 frames cannot take. */
const framesInFlight = 64;
/** A longer step of the clock cuts OpenFlow sessions. */
const longestStepMs = 30_000;

/**
 * Brings one node up as planned, with its flows. @throws Unavailable naming what is not as planned;
 * nothing is left behind then.
 */
export async function openNode(
  plan: NodePlan,
  image: Image,
  dir: string,
  emptyDatabase: string,
  use: ProgramUse = 'brought back',
): Promise<SimNode> {
  const vswitch = await startVswitch(image, `node ${plan.node}`, dir, emptyDatabase);
  const ofctl = openOfctl(image, dir);
  const node = await connect(plan, vswitch, ofctl, use, async (wires) => {
    await makeBridges(plan, vswitch, wires);
    // One after the other: what a controller lets go on is metered by the first meter of all
    // (model/pipeline/meter.ts).
    for (const bridge of plan.bridges) await setMeters('add-meter', plan.node, bridge, ofctl);
    await Promise.all(plan.bridges.map((bridge) => program(plan.node, bridge, ofctl)));
  });
  await node.reset().catch(async (error: unknown) => {
    await node.close();
    throw error;
  });
  return node;
}

/** What a node's daemons are held by while they run. */
interface NodeResources {
  readonly wires: PortSocket[];
  readonly controllers: Controllers;
  readonly underlay: Underlay;
  /** Lets go of the daemons. */
  readonly release: () => Promise<void>;
}

/**
 * Stops the clock of a daemon that has just started, listens at its ports, and has it configured.
 * @throws Unavailable; then nothing is left running.
 */
async function connect(
  plan: NodePlan,
  vswitch: Vswitch,
  ofctl: Ofctl,
  use: ProgramUse,
  configure: (wires: readonly PortSocket[]) => Promise<void>,
): Promise<SimNode> {
  const wires: PortSocket[] = [];
  const closing: (() => void)[] = [];
  const release = async () => {
    for (const close of closing) close();
    await Promise.all(wires.map((wire) => wire.close()));
  };
  try {
    await stopClock(vswitch.vswitchd.unixctl);
    for (const port of wiredPorts(plan)) wires.push(await wireOf(plan, port, vswitch.dir));
    await vswitch.whileAlive(configure(wires));
    const controllers = await vswitch.whileAlive(
      connectControllers(plan, vswitch.dir, vswitch.vswitchd),
    );
    closing.push(() => {
      controllers.close();
    });
    const underlay = await underlayOf(plan, vswitch.vswitchd);
    return runningNode(plan, vswitch, ofctl, use, { wires, controllers, underlay, release });
  } catch (error) {
    await release();
    await vswitch.stop();
    throw error;
  }
}

function runningNode(
  planned: NodePlan,
  vswitch: Vswitch,
  ofctl: Ofctl,
  use: ProgramUse,
  resources: NodeResources,
): SimNode {
  const { wires, controllers, underlay, release } = resources;
  let plan = planned;
  const { unixctl } = vswitch.vswitchd;
  const { call } = unixctl;
  const connections = connectionsOf(plan, unixctl);
  const links = linksOf(() => plan, unixctl);
  const flowCounters = flowCountersOf(plan, unixctl);
  const programs = programStateOf(plan, ofctl, use);
  const revalidation = revalidationOf(vswitch);
  const quiesce = quiesceOf(plan, use, programs, flowCounters, revalidation, vswitch);
  const traffic = trafficOf(plan.node, vswitch, wires, controllers, links.isDown, () =>
    neighbours.query(),
  );
  const neighbours = neighboursOf(
    () => plan,
    unixctl,
    async () => {
      await vswitch.whileAlive(revalidation.rounds(1));
      await traffic.quiet();
    },
  );
  const learnWatch = learnWatchOf(() => plan, unixctl, programs, traffic.lookups);
  /**
   * Whether anything was done to the switches since the last reset. Where nothing was, nothing is
   * asked: every way in is ours, and should a counter rise all the same, it shows in the next
   * vector that touches the node. `counted`: nothing since the flows were.
   */
  let touched: 'no' | 'counted' | 'yes' = 'yes';

  const snooping = plan.bridges.filter(({ multicastSnooping }) => multicastSnooping !== undefined);
  /** What is cached follows who asks for multicast some time after it. */
  const followMulticast = async () => void (snooping.length === 0 || (await flowCounters.purge()));
  /**
   * What is cached follows a change of flows, groups and ports some time after it: unless it is
   * thrown away, packets go by what was before.
   */
  const changeProgram = async (change: () => Promise<void>): Promise<SwitchStep> => {
    touched = 'yes';
    await (programs.isVolatile() ? quiesce.now() : flowCounters.purge());
    await vswitch.whileAlive(change());
    learnWatch.forget();
    await quiesce.afterDeletion();
    await quiesce.now();
    await flowCounters.changed();
    await neighbours.settle();
    await traffic.quiet();
    return traffic.take();
  };
  /** A change that no reset takes back. */
  const permanently = async <T>(change: () => Promise<T>): Promise<T> => {
    touched = 'yes';
    await quiesce.now();
    const changed = await vswitch.whileAlive(change());
    programs.discardSaved();
    learnWatch.forget();
    await call('revalidator/purge');
    await neighbours.settle();
    return changed;
  };
  const releaseAll = async () => void (await Promise.all([release(), revalidation.close()]));
  const close = async () => {
    await releaseAll();
    await vswitch.stop();
  };
  const restart = async (): Promise<SimNode> => {
    await releaseAll();
    const started = await vswitch.restart([forgetInterfaces]);
    return await connect(plan, started, ofctl, use, (ports) => findBridges(plan, started, ports));
  };
  const changeable: NodeParts = { vswitch, wires, traffic, links };

  const node: SimNode = {
    name: plan.node,
    vswitch,
    close,
    receive: async (port, frames, areApart) => {
      touched = 'yes';
      if (links.isDown(port)) return traffic.take();
      const atOnce =
        areApart === undefined && (programs.learns() || snooping.length > 0) ? 1 : framesInFlight;
      await learnWatch.beforePackets();
      for (let first = 0; first < frames.length; first += atOnce) {
        const { hit } = traffic.lookups();
        await traffic.put(port, frames.slice(first, first + atOnce));
        await learnWatch.afterPackets();
        await neighbours.revalidateIfChanged();
        await quiesce.afterPackets(traffic.lookups().hit === hit ? 'translated' : 'cached');
        await followMulticast();
      }
      return traffic.take();
    },
    advance: async (ms) => {
      // Where nothing is cached, learned or tracked, and no flow is timed, time leads to nothing.
      const idle = touched === 'no' && !programs.isVolatile();
      if (!idle) touched = 'yes';
      assert(Number.isInteger(ms), `time advances by whole milliseconds, not ${ms}`);
      if (!idle) await learnWatch.beforePackets();
      await quiesce.beforeTime(ms, idle ? 'on nothing' : 'on what is there');
      for (let left = ms; left > 0; left -= longestStepMs) {
        const step = String(Math.min(left, longestStepMs));
        await Promise.all([
          call('time/warp', step, step),
          oneMainLoopIteration(call),
          neighbours.refresh(),
          traffic.quiet(),
        ]);
      }
      if (idle) return traffic.take();
      await learnWatch.afterPackets();
      await neighbours.revalidateIfChanged();
      await quiesce.afterTime();
      await followMulticast();
      return traffic.take();
    },
    change: (bridge, lines) =>
      changeProgram(async () => {
        await programs.save();
        programs.noteChange(bridge, lines);
        await ofctl.bundle(bridge, lines);
      }),
    link: (port, state) => changeProgram(() => links.set(port, state)),
    flush: (which) => changeProgram(() => connections.flush(which)),
    reconfigure: async (change) => {
      if (change.kind === 'restart') return await restart();
      await changeProgram(async () => {
        plan = await applyNodeChange(change, plan, changeable);
      });
      return node;
    },
    reset: async () => {
      if (await underlay.restore()) touched = 'yes';
      if (touched === 'no') return;
      const wasVolatile = programs.isVolatile();
      const flows =
        wasVolatile && !(await flowCounters.areFlowsUnchanged()) ? 'others' : 'the same';
      const [broughtBack] = await Promise.all([
        vswitch.whileAlive(programs.restore(flows)),
        links.restore(),
      ]);
      if (broughtBack) {
        learnWatch.forget();
        await quiesce.afterDeletion();
      }
      if (programs.learns() || programs.isVolatile()) await vswitch.whileAlive(programs.save());
      // The daemon answers in the order it is asked, so nothing needs to be waited for in between.
      // What is cached goes first: looked through without the neighbours, it would ask for them.
      const standing = !broughtBack && (touched === 'counted' || wasVolatile);
      const flushed = [
        ...(standing ? [] : [call('revalidator/purge')]),
        ...plan.bridges.map(({ name }) => call('fdb/flush', name)),
        ...staticMacsOf(plan).map(({ bridge, port, vlan, mac }) =>
          call('fdb/add', bridge, port, String(vlan), mac),
        ),
        ...snooping.map(({ name }) => call('mdb/flush', name)),
        connections.forget(),
        neighbours.restore(),
        neighbours.query(),
      ];
      await flowCounters.begin(standing ? 'as they stand' : 'as they are told', ...flushed);
      await neighbours.revalidateIfChanged();
      await Promise.all(
        plan.bridges
          .filter(({ name }) => programs.meters(name))
          .map(async (bridge) => {
            await setMeters('mod-meter', plan.node, bridge, ofctl);
            programs.metersRenewed(bridge.name);
          }),
      );
      quiesce.begin();
      touched = 'no';
    },
    counts: async () => {
      if (touched === 'no') return flowCounters.zeros();
      const counts = await flowCounters.since();
      touched = 'counted';
      return counts;
    },
    assertUndisturbed: () => underlay.assertUndisturbed(),
    adopt: async (adopted) => {
      await revalidation.close();
      await vswitch.whileAlive(adoptTunnels(adopted, vswitch));
      const node = runningNode(adopted, vswitch, ofctl, use, {
        ...resources,
        underlay: await underlayOf(adopted, vswitch.vswitchd),
      });
      await node.reset();
      return node;
    },
    purge: () => flowCounters.purge(),
    state: async () => {
      if (touched === 'no')
        return {
          connections: [],
          macs: staticMacsOf(plan),
          ...(snooping.length === 0 ? {} : { multicast: [] }),
        };
      const [tracked, macs, multicast] = await Promise.all([
        connections.list(),
        Promise.all(
          plan.bridges.map(async (bridge) =>
            parseMacs(plan.node, bridge, await call('fdb/show', bridge.name)),
          ),
        ),
        Promise.all(
          snooping.map(async (bridge) =>
            parseMulticast(plan.node, bridge, await call('mdb/show', bridge.name)),
          ),
        ),
      ]);
      return {
        connections: tracked,
        macs: macs.flat(),
        ...(snooping.length === 0 ? {} : { multicast: multicast.flat() }),
      };
    },
    lookups: traffic.lookups,
    strays: async () => {
      await (touched === 'no' ? vswitch.checkAlive() : traffic.quiet());
      return traffic.take().outputs.map((output) => ({ node: plan.node, ...output }));
    },
    bridges: () => plan.bridges.map(({ name }) => name),
    dumpFlows: async (bridge) => {
      await flowCounters.purge();
      return await vswitch.whileAlive(ofctl.run(bridge, 'dump-flows', '--no-names'));
    },
    bundle: (bridge, lines) =>
      permanently(async () => {
        programs.noteChange(bridge, lines);
        await ofctl.bundle(bridge, lines);
        programs.noteApplied(bridge, lines);
      }),
    send: (bridge, version, messages) =>
      permanently(() => ofctl.send(bridge, vswitch.vswitchd, version, messages)),
    ofctl: (bridge, command, ...args) =>
      permanently(() => {
        programs.noteChange(bridge, args);
        return ofctl.run(bridge, command, ...args);
      }),
  };
  return node;
}

/** What the node is to be afterwards. */
async function applyNodeChange(
  change: Exclude<NodeChange, { readonly kind: 'restart' }>,
  plan: NodePlan,
  node: NodeParts,
): Promise<NodePlan> {
  switch (change.kind) {
    case 'attach':
      return await attach(plan, change, node);
    case 'detach':
      return await detach(plan, change, node);
    case 'neighbours':
      return await setPlannedNeighbours(plan, change, node);
    default:
      return assertNever(change);
  }
}
