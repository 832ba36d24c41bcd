/** One node of the sim testbed: real daemons, with a wire of ours at every port and the clock in our hand. */
import { assert } from '../../base/errors.js';
import type { NodePlan } from '../../nouns/plan.js';
import type { SwitchState } from '../../nouns/state.js';
import type { FlowCount, Lookups, SwitchStep } from '../../nouns/switching.js';
import { parseBridgeOptions } from '../../openflow/bridge-program.js';
import { noNames } from '../../openflow/form.js';
import type { Image } from '../../ovs/image.js';
import { openOfctl, type Ofctl } from '../../ovs/ofctl.js';
import type { Version } from '../../ovs/openflow-messages.js';
import { socketPath } from '../../ovs/socket-path.js';
import { answerOfDevice } from '../../packet/device-arp.js';
import { startVswitch, type Vswitch } from '../../ovs/vswitch.js';
import type { BridgeFlows, Stray } from '../testbed.js';
import { makeBridges, program, setMeters, setNeighbours } from './bring-up.js';
import { stopClock } from './clock.js';
import { until } from './condition.js';
import { wiredPorts } from './configure.js';
import { connectionsOf } from './connections.js';
import { connectControllers, type Controllers } from './controllers.js';
import { disagreements, isTakenIn, parseCachedFlows, parseLookups, parsePortCounters, type PortCounters } from './conservation.js';
import { countsSince, flowCounter, rebased } from './flow-counts.js';
import { linksOf } from './links.js';
import { listenPort, type PortSocket } from './port-socket.js';
import { programsOf } from './programs.js';
import { openRevalidation, type Revalidation } from './revalidation.js';
import { parseMacs } from './state.js';

export interface SimNode {
  readonly name: string;
  readonly vswitch: Vswitch;
  receive(port: string, frames: readonly Uint8Array[]): Promise<SwitchStep>;
  advance(ms: number): Promise<SwitchStep>;
  change(bridge: string, lines: readonly string[]): Promise<SwitchStep>;
  link(port: string, state: 'up' | 'down'): Promise<SwitchStep>;
  flush(which: { readonly zone?: number; readonly tuple?: string }): Promise<SwitchStep>;
  reset(): Promise<void>;
  counts(): Promise<readonly FlowCount[]>;
  state(): Promise<SwitchState>;
  lookups(): Lookups;
  strays(): Promise<readonly Stray[]>;
  program(): Promise<readonly BridgeFlows[]>;
  ofctl(bridge: string, command: string, ...args: readonly string[]): Promise<string>;
  dumpFlows(bridge: string): Promise<string>;
  bundle(bridge: string, lines: readonly string[]): Promise<void>;
  send(bridge: string, version: Version, messages: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

/** A dummy port drops without a word what its queue of 100 frames cannot take. */
const framesInFlight = 64;
/** What a switch takes for a frame: an Ethernet header at least, and a length of 16 bits. */
const frameBytes = { shortest: 14, longest: 0xffff } as const;
/** A longer step of the clock cuts OpenFlow sessions. */
const longestStepMs = 30_000;
const quietLimitMs = 10_000;

/** Brings one node up as planned, with its flows. @throws Unavailable naming what is not as planned; nothing is left behind then. */
export async function openNode(plan: NodePlan, image: Image, dir: string, emptyDatabase: string): Promise<SimNode> {
  const vswitch = await startVswitch(image, `node ${plan.node}`, dir, emptyDatabase);
  const wires: PortSocket[] = [];
  let controllers: Controllers | undefined;
  let revalidation: Revalidation | undefined;
  const close = async () => {
    controllers?.close();
    revalidation?.close();
    await vswitch.stop();
    await Promise.all(wires.map((wire) => wire.close()));
  };
  try {
    await stopClock(vswitch.vswitchd.unixctl);
    for (const port of wiredPorts(plan)) wires.push(await listenPort(port, socketPath(dir, `${port}.port`), answersOf(plan, port)));
    await vswitch.whileAlive(makeBridges(plan, vswitch, wires));
    const ofctl = openOfctl(image, dir);
    await vswitch.whileAlive(Promise.all(plan.bridges.map((bridge) => program(plan.node, bridge, ofctl))));
    controllers = await vswitch.whileAlive(connectControllers(plan, dir, vswitch.vswitchd));
    revalidation = await openRevalidation(vswitch);
    const node = runningNode(plan, vswitch, ofctl, wires, controllers, revalidation, close);
    await node.reset();
    return node;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Devices where tunnels end answer ARP, and count what they answer as received. */
function answersOf({ bridges }: NodePlan, port: string): (frame: Uint8Array) => boolean {
  const bridge = bridges.find(({ name }) => name === port);
  if (bridge?.underlay === undefined) return () => false;
  const device = { ip: bridge.underlay.ip, mac: bridge.mac };
  return (frame) => answerOfDevice(frame, device) !== undefined;
}

function runningNode(plan: NodePlan, vswitch: Vswitch, ofctl: Ofctl, wires: readonly PortSocket[], controllers: Controllers, revalidation: Revalidation, close: () => Promise<void>): SimNode {
  const { unixctl } = vswitch.vswitchd;
  const { call } = unixctl;
  const connections = connectionsOf(plan, unixctl);
  const links = linksOf(plan, unixctl);
  const programs = programsOf(plan, ofctl);
  const flowCounters = plan.bridges.map((bridge) => ({ bridge: bridge.name, read: flowCounter(plan.node, bridge.name, { ...noNames, tunnelOptions: parseBridgeOptions(plan.node, bridge) }) }));
  let baseline: readonly FlowCount[] = [];
  let none: readonly FlowCount[] = [];
  /**
   * Whether anything was done to the switches since the last reset. Where nothing was, nothing is asked: every way in is ours,
   * and should a counter rise all the same, it shows in the next vector that touches the node.
   */
  let touched: 'no' | 'yes' = 'yes';
  let lookups: Lookups = { hit: 0, missed: 0 };
  /** Frames put into each port since it was made. */
  const written = new Map<string, number>();

  const quiet = () => controllers.settle(noneUnderWay);
  const noneUnderWay = async () => {
    let counted: ReadonlyMap<string, PortCounters> = new Map();
    let underWay: readonly PortSocket[] = [];
    await until(`node ${plan.node} to be quiet`, quietLimitMs, async () => {
      // A switch whose database died still answers, but does not take frames any more.
      await vswitch.checkAlive();
      if (underWay.length > 0) await vswitch.whileAlive(Promise.race(underWay.map((wire) => wire.more())));
      else {
        const told = await call('dpctl/show', '-s');
        lookups = parseLookups(told);
        counted = parsePortCounters(told);
      }
      const totals = wires.map(({ port, arrived, answered }) => ({ port, written: (written.get(port) ?? 0) + answered(), read: arrived() }));
      // Once all that went in is counted in, what is counted out is on its way, and there is nothing more to ask.
      underWay = totals.every((wire) => isTakenIn(wire, counted)) ? wires.filter((wire) => wire.arrived() < (counted.get(wire.port)?.sent ?? 0)) : [];
      return disagreements(totals, counted);
    });
    await vswitch.checkAlive();
  };
  /** Into the port's receive queue: its socket would do as well, but the switch reads that in two turns of its main loop a frame. */
  const put = async (port: string, frames: readonly Uint8Array[]) => {
    for (const { length } of frames) assert(length >= frameBytes.shortest && length <= frameBytes.longest, `a frame has ${frameBytes.shortest} to ${frameBytes.longest} bytes, not ${length}`);
    await call('netdev-dummy/receive', port, ...frames.map((frame) => Buffer.from(frame).toString('hex')));
    written.set(port, (written.get(port) ?? 0) + frames.length);
    await quiet();
  };
  const take = (): SwitchStep => {
    const packetIns = controllers.take();
    const outputs = wires.toSorted((a, b) => (a.port < b.port ? -1 : 1)).flatMap((wire) => wire.take().map((frame) => ({ port: wire.port, frame }))).filter(({ port }) => !links.isDown(port));
    return packetIns === undefined ? { outputs } : { outputs, packetIns };
  };
  /**
   * Counters of flows lag behind cached packets until the cache is purged into them. A purge passes over what a revalidator holds at
   * that moment: once nothing is cached, all is counted.
   */
  const countAll = async () => {
    let counts: readonly FlowCount[] = [];
    await until(`node ${plan.node} to count its packets`, quietLimitMs, async () => {
      const [, told, ...dumps] = await Promise.all([call('revalidator/purge'), call('dpctl/show'), ...flowCounters.map(({ bridge }) => call('bridge/dump-flows', bridge))]);
      const cached = parseCachedFlows(told);
      if (cached === 0) counts = flowCounters.flatMap(({ read }, index) => read(dumps[index] ?? ''));
      return cached === 0 ? [] : [`${cached} flows are still cached`];
    });
    return counts;
  };

  /** What cached packets count, learn and keep from expiring counts now, where flows depend on it: a change would otherwise come before it. */
  const settle = async () => {
    if (programs.isVolatile()) await vswitch.whileAlive(revalidation.round());
  };
  /** The same where learned addresses depend on it, which age. */
  const settleInTime = async () => {
    if (programs.isTimed()) await vswitch.whileAlive(revalidation.round());
  };
  const snooping = plan.bridges.filter(({ multicastSnooping }) => multicastSnooping !== undefined);
  /** What is cached follows who asks for multicast some time after it. */
  const followMulticast = async () => void (snooping.length === 0 || (await countAll()));
  /** What is cached follows a change of flows, groups and ports some time after it: unless it is thrown away, packets go by what was before. */
  const changing = async (change: () => Promise<void>): Promise<SwitchStep> => {
    touched = 'yes';
    await settle();
    await vswitch.whileAlive(change());
    await settle();
    baseline = rebased(baseline, await countAll());
    await quiet();
    return take();
  };
  /** A change that no reset takes back. */
  const staying = async <T>(change: () => Promise<T>): Promise<T> => {
    touched = 'yes';
    await settle();
    const changed = await vswitch.whileAlive(change());
    programs.forget();
    await call('revalidator/purge');
    return changed;
  };

  return {
    name: plan.node, vswitch, close,
    receive: async (port, frames) => {
      touched = 'yes';
      if (links.isDown(port)) return take();
      assert(wires.some((wire) => wire.port === port), `node ${plan.node} has no wire at port ${port}`);
      const atOnce = programs.learns() || snooping.length > 0 ? 1 : framesInFlight;
      for (let first = 0; first < frames.length; first += atOnce) {
        await put(port, frames.slice(first, first + atOnce));
        if (programs.learns()) await settle();
        await followMulticast();
      }
      return take();
    },
    advance: async (ms) => {
      touched = 'yes';
      assert(Number.isInteger(ms), `time advances by whole milliseconds, not ${ms}`);
      await settleInTime();
      for (let left = ms; left > 0; left -= longestStepMs) {
        const step = String(Math.min(left, longestStepMs));
        await call('time/warp', step, step);
        await setNeighbours(plan, unixctl);
        await quiet();
      }
      await settleInTime();
      await settleInTime(); // what is gone is in the cache until another round
      await followMulticast();
      return take();
    },
    change: (bridge, lines) => changing(async () => {
      await programs.keep();
      programs.note(lines);
      await ofctl.bundle(bridge, lines);
    }),
    link: (port, state) => changing(() => links.set(port, state)),
    flush: (which) => changing(() => connections.flush(which)),
    reset: async () => {
      if (touched === 'no') return;
      if (programs.isVolatile()) await countAll();
      await Promise.all([vswitch.whileAlive(programs.restore()), links.restore()]);
      if (programs.isVolatile()) await vswitch.whileAlive(programs.keep());
      // The daemon answers in the order it is asked, so nothing needs to be waited for in between. What is cached goes first: looked through without the neighbours, it would ask for them.
      const flushed = [call('revalidator/purge'), ...plan.bridges.map(({ name }) => call('fdb/flush', name)), ...snooping.map(({ name }) => call('mdb/flush', name)), connections.forget(), call('tnl/neigh/flush'), setNeighbours(plan, unixctl)];
      [baseline] = await Promise.all([countAll(), ...flushed]);
      await Promise.all(plan.bridges.map((bridge) => setMeters('mod-meter', plan.node, bridge, ofctl)));
      none = countsSince(baseline, baseline);
      touched = 'no';
    },
    counts: async () => (touched === 'no' ? none : countsSince(baseline, await countAll())),
    state: async () => {
      if (touched === 'no') return { connections: [], macs: [] };
      const [tracked, ...macs] = await Promise.all([connections.list(), ...plan.bridges.map(({ name }) => call('fdb/show', name))]);
      return { connections: tracked, macs: plan.bridges.flatMap((bridge, index) => parseMacs(plan.node, bridge, macs[index] ?? '')) };
    },
    lookups: () => lookups,
    strays: async () => {
      await (touched === 'yes' ? quiet() : vswitch.checkAlive());
      return take().outputs.map((output) => ({ node: plan.node, ...output }));
    },
    program: () => vswitch.whileAlive(Promise.all(plan.bridges.map(async ({ name }) => ({ node: plan.node, bridge: name, flows: await ofctl.dumpFlows(name) })))),
    dumpFlows: async (bridge) => {
      await countAll();
      return await vswitch.whileAlive(ofctl.run(bridge, 'dump-flows', '--no-names'));
    },
    bundle: (bridge, lines) => staying(() => {
      programs.note(lines);
      return ofctl.bundle(bridge, lines);
    }),
    send: (bridge, version, messages) => staying(() => ofctl.send(bridge, vswitch.vswitchd, version, messages)),
    ofctl: (bridge, command, ...args) => staying(() => {
      programs.note(args);
      return ofctl.run(bridge, command, ...args);
    }),
  };
}
