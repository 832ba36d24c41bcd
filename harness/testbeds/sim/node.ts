/** One node of the sim testbed: real daemons, with a wire of ours at every port and the clock in our hand. */
import { withDeadline } from '../../base/deadline.js';
import { assert } from '../../base/errors.js';
import type { BridgePlan, NodePlan } from '../../nouns/plan.js';
import type { FlowCount, SwitchStep } from '../../nouns/switching.js';
import { diffFlows } from '../../openflow/diff.js';
import { parseFlow } from '../../openflow/flow.js';
import type { Image } from '../../ovs/image.js';
import { openOfctl, type Ofctl } from '../../ovs/ofctl.js';
import { socketPath } from '../../ovs/socket-path.js';
import { startVswitch, type Vswitch } from '../../ovs/vswitch.js';
import type { BridgeFlows } from '../testbed.js';
import { until } from './condition.js';
import { awaitedMacs, checkPorts, configured, configureOperations, portNumbers, selectInterfaces, wiredPorts } from './configure.js';
import { disagreements, parsePortCounters } from './conservation.js';
import { countsSince, flowCounter } from './flow-counts.js';
import { listenPort, type PortSocket } from './port-socket.js';

export interface SimNode {
  readonly name: string;
  readonly vswitch: Vswitch;
  receive(port: string, frames: readonly Uint8Array[]): Promise<SwitchStep>;
  advance(ms: number): Promise<SwitchStep>;
  reset(): Promise<void>;
  counts(): Promise<readonly FlowCount[]>;
  program(): Promise<readonly BridgeFlows[]>;
  ofctl(bridge: string, command: string, ...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** A dummy port drops without a word what its queue of 100 frames cannot take. */
const framesInFlight = 64;
/** A longer step of the clock cuts OpenFlow sessions. */
const longestStepMs = 30_000;
const quietLimitMs = 10_000;
const configureLimitMs = 10_000;

/** Brings one node up as planned, with its flows. @throws Unavailable naming what is not as planned; nothing is left behind then. */
export async function openNode(plan: NodePlan, image: Image, dir: string, emptyDatabase: string): Promise<SimNode> {
  const vswitch = await startVswitch(image, `node ${plan.node}`, dir, emptyDatabase);
  const wires: PortSocket[] = [];
  const close = async () => {
    await vswitch.stop();
    await Promise.all(wires.map((wire) => wire.close()));
  };
  try {
    await vswitch.vswitchd.unixctl.call('time/stop');
    for (const port of wiredPorts(plan)) wires.push(await listenPort(port, socketPath(dir, `${port}.port`)));
    await vswitch.whileAlive(makeBridges(plan, vswitch, wires));
    const ofctl = openOfctl(image, dir);
    await vswitch.whileAlive(Promise.all(plan.bridges.map((bridge) => applyFlows(plan.node, bridge, ofctl))));
    const node = runningNode(plan, vswitch, ofctl, wires, close);
    await node.reset();
    return node;
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeBridges(plan: NodePlan, vswitch: Vswitch, wires: readonly PortSocket[]): Promise<void> {
  const path = (port: string) => wires.find((wire) => wire.port === port)?.path ?? '';
  await vswitch.ovsdb.transact(configureOperations(plan, path));
  await vswitch.ovsdb.waitFor(`${vswitch.vswitchd.name} to make its bridges`, configured, configureLimitMs);
  await until(`${vswitch.vswitchd.name} to set the MACs of its ports`, configureLimitMs, async () => {
    const [rows = []] = await vswitch.ovsdb.transact([selectInterfaces]);
    checkPorts(plan, rows);
    return awaitedMacs(plan, rows);
  });
  await withDeadline(Promise.all(wires.map((wire) => wire.connected)), configureLimitMs, `${vswitch.vswitchd.name} to connect to its ports`);
  await openTunnels(plan, vswitch);
}

/** Gives the underlay's bridge its address, so that native tunnels end there, and waits until they do. */
async function openTunnels(plan: NodePlan, { vswitchd }: Vswitch): Promise<void> {
  for (const { name, underlay } of plan.bridges) {
    if (underlay === undefined) continue;
    const block = `${underlay.ip}/${underlay.prefixLength}`;
    await vswitchd.unixctl.call('netdev-dummy/ip4addr', name, block);
    await vswitchd.unixctl.call('ovs/route/add', block, name);
    if (!plan.bridges.some(({ ports }) => ports.some(({ kind }) => kind === 'tunnel'))) continue;
    await until(`${vswitchd.name} to end tunnels at ${underlay.ip}`, configureLimitMs, async () => {
      const ends = await vswitchd.unixctl.call('tnl/ports/show', '-v');
      return ends.includes(`ipv4(dst=${underlay.ip},`) ? [] : [ends.trim()];
    });
  }
  await setNeighbours(plan, vswitchd.unixctl.call);
}

/** Neighbours expire after 20 minutes of virtual time; those that are known from the start are set again. */
async function setNeighbours(plan: NodePlan, call: (command: string, ...args: readonly string[]) => Promise<string>): Promise<void> {
  for (const { name, underlay } of plan.bridges) {
    for (const { ip, mac } of underlay?.neighbours ?? []) await call('tnl/neigh/set', name, ip, mac);
  }
}

/** Makes the bridge hold the plan's flows and no others, changing only what differs. */
async function applyFlows(node: string, bridge: BridgePlan, ofctl: Ofctl): Promise<void> {
  const place = (line: number) => ({ file: `flows of ${bridge.name} on node ${node}`, line });
  const desired = bridge.flows.map((line, index) => parseFlow(line, portNumbers(bridge), place(index + 1)));
  const current = (await ofctl.dumpFlows(bridge.name)).map((line, index) => parseFlow(line, new Map(), place(index + 1)));
  await ofctl.bundle(bridge.name, diffFlows(current, desired));
}

function runningNode(plan: NodePlan, vswitch: Vswitch, ofctl: Ofctl, wires: readonly PortSocket[], close: () => Promise<void>): SimNode {
  const { call } = vswitch.vswitchd.unixctl;
  const counters = plan.bridges.map(({ name }) => ({ bridge: name, read: flowCounter(plan.node, name) }));
  let baseline: readonly FlowCount[] = [];

  const quiet = async () => {
    await until(`node ${plan.node} to be quiet`, quietLimitMs, async () => {
      const counted = parsePortCounters(await call('dpctl/show', '-s'));
      return disagreements(wires.map((wire) => ({ port: wire.port, ...wire.totals() })), counted);
    });
    await vswitch.checkAlive();
  };
  const take = (): SwitchStep => ({
    outputs: wires.toSorted((a, b) => (a.port < b.port ? -1 : 1)).flatMap((wire) => wire.take().map((frame) => ({ port: wire.port, frame }))),
  });
  /** Counters of flows lag behind cached packets until the cache is purged into them. */
  const countAll = async () => {
    await call('revalidator/purge');
    const counts = await Promise.all(counters.map(async ({ bridge, read }) => read(await call('bridge/dump-flows', bridge))));
    return counts.flat();
  };

  return {
    name: plan.node, vswitch, close,
    receive: async (port, frames) => {
      const wire = wires.find((candidate) => candidate.port === port);
      assert(wire !== undefined, `node ${plan.node} has no wire at port ${port}`);
      let first = 0;
      do {
        wire.write(frames.slice(first, first + framesInFlight));
        await quiet();
        first += framesInFlight;
      } while (first < frames.length);
      return take();
    },
    advance: async (ms) => {
      assert(Number.isInteger(ms), `time advances by whole milliseconds, not ${ms}`);
      for (let left = ms; left > 0; left -= longestStepMs) {
        const step = String(Math.min(left, longestStepMs));
        await call('time/warp', step, step);
        await setNeighbours(plan, call);
      }
      await quiet();
      return take();
    },
    reset: async () => {
      for (const { name } of plan.bridges) await call('fdb/flush', name);
      await call('dpctl/flush-conntrack');
      await call('tnl/neigh/flush');
      await setNeighbours(plan, call);
      baseline = await countAll();
    },
    counts: async () => countsSince(baseline, await countAll()),
    program: () => vswitch.whileAlive(Promise.all(plan.bridges.map(async ({ name }) => ({ node: plan.node, bridge: name, flows: await ofctl.dumpFlows(name) })))),
    ofctl: (bridge, command, ...args) => vswitch.whileAlive(ofctl.run(bridge, command, ...args)),
  };
}
