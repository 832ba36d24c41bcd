/**
 * One node of the sim testbed: real daemons, with a wire of ours at every port and the clock in our
 * hand.
 */
import { allOver } from '../../base/all-over.js';
import { assert, assertNever } from '../../base/errors.js';
import type { NodePlan } from '../../nouns/plan.js';
import type { SwitchState } from '../../nouns/state.js';
import type { FlowCount, Lookups, Reconfiguration, SwitchStep } from '../../nouns/switching.js';
import type { Image } from '../../ovs/image.js';
import { openOfctl, type Ofctl } from '../../ovs/ofctl.js';
import type { Version } from '../../ovs/openflow-messages.js';
import { startVswitch, type Vswitch } from '../../ovs/vswitch.js';
import type { Stray } from '../testbed.js';
import { findBridges, makeBridges, program, setMeters } from './bring-up.js';
import { stopClock } from './clock.js';
import { forgetInterfaces, wiredPorts } from './configure.js';
import { connectionsOf } from './connections.js';
import { connectControllers, type Controllers } from './controllers.js';
import { countingOf } from './counting.js';
import { learningOf } from './learning.js';
import { linksOf } from './links.js';
import { oneTurn } from './main-loop.js';
import { neighboursOf } from './neighbours.js';
import type { PortSocket } from './port-socket.js';
import { programsOf } from './programs.js';
import { attach, detach, meetNeighbours, type Changeable } from './reconfigure.js';
import { revalidationOf } from './revalidation.js';
import { settlingOf, type ProgramUse } from './settling.js';
import { parseMacs, parseMulticast } from './state.js';
import { trafficOf } from './traffic.js';
import { underlayOf, type Underlay } from './underlay.js';
import { wireOf } from './wires.js';

export type NodeReconfiguration = Exclude<Reconfiguration, { readonly kind: 'join' | 'leave' }>;

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
  reconfigure(change: NodeReconfiguration): Promise<SimNode>;
  reset(): Promise<void>;
  counts(): Promise<readonly FlowCount[]>;
  purge(): Promise<void>;
  state(): Promise<SwitchState>;
  lookups(): Lookups;
  strays(): Promise<readonly Stray[]>;
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
interface Holds {
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
  { wires, controllers, underlay, release }: Holds,
): SimNode {
  let plan = planned;
  const { unixctl } = vswitch.vswitchd;
  const { call } = unixctl;
  const connections = connectionsOf(plan, unixctl);
  const links = linksOf(() => plan, unixctl);
  const counting = countingOf(plan, unixctl);
  const programs = programsOf(plan, ofctl, use);
  const revalidation = revalidationOf(vswitch);
  const settling = settlingOf(plan, use, programs, counting, revalidation, vswitch);
  const traffic = trafficOf(plan.node, vswitch, wires, controllers, links.isDown, () =>
    neighbours.look(),
  );
  const neighbours = neighboursOf(
    () => plan,
    unixctl,
    async () => {
      await vswitch.whileAlive(revalidation.rounds(1));
      await traffic.quiet();
    },
  );
  const learning = learningOf(() => plan, unixctl, programs, traffic.lookups);
  /**
   * Whether anything was done to the switches since the last reset. Where nothing was, nothing is
   * asked: every way in is ours, and should a counter rise all the same, it shows in the next
   * vector that touches the node. `counted`: nothing since the flows were.
   */
  let touched: 'no' | 'counted' | 'yes' = 'yes';

  const snooping = plan.bridges.filter(({ multicastSnooping }) => multicastSnooping !== undefined);
  /** What is cached follows who asks for multicast some time after it. */
  const followMulticast = async () => void (snooping.length === 0 || (await counting.purge()));
  /**
   * What is cached follows a change of flows, groups and ports some time after it: unless it is
   * thrown away, packets go by what was before.
   */
  const changing = async (change: () => Promise<void>): Promise<SwitchStep> => {
    touched = 'yes';
    await (programs.isVolatile() ? settling.now() : counting.purge());
    await vswitch.whileAlive(change());
    learning.forget();
    await settling.afterDeletion();
    await settling.now();
    await counting.changed();
    await neighbours.settle();
    await traffic.quiet();
    return traffic.take();
  };
  /** A change that no reset takes back. */
  const staying = async <T>(change: () => Promise<T>): Promise<T> => {
    touched = 'yes';
    await settling.now();
    const changed = await vswitch.whileAlive(change());
    programs.forget();
    learning.forget();
    await call('revalidator/purge');
    await neighbours.settle();
    return changed;
  };
  const letGo = async () => void (await Promise.all([release(), revalidation.close()]));
  const close = async () => {
    await letGo();
    await vswitch.stop();
  };
  const restart = async (): Promise<SimNode> => {
    await letGo();
    const started = await vswitch.restart([forgetInterfaces]);
    return await connect(plan, started, ofctl, use, (ports) => findBridges(plan, started, ports));
  };
  const changeable: Changeable = { vswitch, wires, traffic, links };

  const node: SimNode = {
    name: plan.node,
    vswitch,
    close,
    receive: async (port, frames, areApart) => {
      touched = 'yes';
      if (links.isDown(port)) return traffic.take();
      assert(traffic.hasWire(port), `node ${plan.node} has no wire at port ${port}`);
      const atOnce =
        areApart === undefined && (programs.learns() || snooping.length > 0) ? 1 : framesInFlight;
      await learning.begin();
      for (let first = 0; first < frames.length; first += atOnce) {
        const { hit } = traffic.lookups();
        await traffic.put(port, frames.slice(first, first + atOnce));
        await learning.notice();
        await neighbours.follow();
        await settling.behind(traffic.lookups().hit === hit ? 'translated' : 'cached');
        await followMulticast();
      }
      return traffic.take();
    },
    advance: async (ms) => {
      // Where nothing is cached, learned or tracked, and no flow is timed, time leads to nothing.
      const idle = touched === 'no' && !programs.isVolatile();
      if (!idle) touched = 'yes';
      assert(Number.isInteger(ms), `time advances by whole milliseconds, not ${ms}`);
      if (!idle) await learning.begin();
      await settling.beforeTime(ms, idle ? 'on nothing' : 'on what is there');
      for (let left = ms; left > 0; left -= longestStepMs) {
        const step = String(Math.min(left, longestStepMs));
        await Promise.all([
          call('time/warp', step, step),
          oneTurn(call),
          neighbours.refresh(),
          traffic.quiet(),
        ]);
      }
      if (idle) return traffic.take();
      await learning.notice();
      await neighbours.follow();
      await settling.afterTime();
      await followMulticast();
      return traffic.take();
    },
    change: (bridge, lines) =>
      changing(async () => {
        await programs.keep();
        programs.note(bridge, lines);
        await ofctl.bundle(bridge, lines);
      }),
    link: (port, state) => changing(() => links.set(port, state)),
    flush: (which) => changing(() => connections.flush(which)),
    reconfigure: async (change) => {
      if (change.kind === 'restart') return await restart();
      await changing(async () => {
        plan = await carryOut(change, plan, changeable);
      });
      return node;
    },
    reset: async () => {
      if (await underlay.restore()) touched = 'yes';
      if (touched === 'no') return;
      const wasVolatile = programs.isVolatile();
      const flows = wasVolatile && !(await counting.areSame()) ? 'others' : 'the same';
      const [broughtBack] = await Promise.all([
        vswitch.whileAlive(programs.restore(flows)),
        links.restore(),
      ]);
      if (broughtBack) {
        learning.forget();
        await settling.afterDeletion();
      }
      if (programs.learns() || programs.isVolatile()) await vswitch.whileAlive(programs.keep());
      // The daemon answers in the order it is asked, so nothing needs to be waited for in between.
      // What is cached goes first: looked through without the neighbours, it would ask for them.
      const standing = !broughtBack && (touched === 'counted' || wasVolatile);
      const flushed = [
        ...(standing ? [] : [call('revalidator/purge')]),
        ...plan.bridges.map(({ name }) => call('fdb/flush', name)),
        ...snooping.map(({ name }) => call('mdb/flush', name)),
        connections.forget(),
        neighbours.restore(),
        neighbours.look(),
      ];
      await counting.begin(standing ? 'as they stand' : 'as they are told', ...flushed);
      await neighbours.follow();
      await Promise.all(
        plan.bridges
          .filter(({ name }) => programs.meters(name))
          .map(async (bridge) => {
            await setMeters('mod-meter', plan.node, bridge, ofctl);
            programs.metersRenewed(bridge.name);
          }),
      );
      settling.begin();
      touched = 'no';
    },
    counts: async () => {
      if (touched === 'no') return counting.none();
      const [counts] = await allOver([counting.since(), underlay.check()]);
      touched = 'counted';
      return counts;
    },
    purge: () => counting.purge(),
    state: async () => {
      if (touched === 'no')
        return { connections: [], macs: [], ...(snooping.length === 0 ? {} : { multicast: [] }) };
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
      await counting.purge();
      return await vswitch.whileAlive(ofctl.run(bridge, 'dump-flows', '--no-names'));
    },
    bundle: (bridge, lines) =>
      staying(async () => {
        programs.note(bridge, lines);
        await ofctl.bundle(bridge, lines);
        programs.noteCarriedOut(bridge, lines);
      }),
    send: (bridge, version, messages) =>
      staying(() => ofctl.send(bridge, vswitch.vswitchd, version, messages)),
    ofctl: (bridge, command, ...args) =>
      staying(() => {
        programs.note(bridge, args);
        return ofctl.run(bridge, command, ...args);
      }),
  };
  return node;
}

/** What the node is to be afterwards. */
async function carryOut(
  change: Exclude<NodeReconfiguration, { readonly kind: 'restart' }>,
  plan: NodePlan,
  node: Changeable,
): Promise<NodePlan> {
  switch (change.kind) {
    case 'attach':
      return await attach(plan, change, node);
    case 'detach':
      return await detach(plan, change, node);
    case 'neighbours':
      return await meetNeighbours(plan, change, node);
    default:
      return assertNever(change);
  }
}
