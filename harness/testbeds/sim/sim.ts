/**
 * The default testbed: real ovs-vswitchd and ovsdb-server for every node, without privilege, in
 * virtual time.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { awaitAll } from '../../base/concurrency/await-all.js';
import { mapConcurrently } from '../../base/concurrency/map-concurrently.js';
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { joinStates } from '../../domain/switch-state.js';
import { sumOfCounted } from '../../domain/work.js';
import type { SwitchCall } from '../../domain/switching.js';
import { uncompiledPlan } from '../../domain/plan/uncompiled-plan.js';
import { compiledPlan } from '../../ovn/compiled-plan.js';
import { startOvn, type Ovn } from '../../ovn/ovn.js';
import type { Launch } from '../../ovs/process/launch.js';
import type { Image } from '../../ovs/process/image.js';
import { createDatabase } from '../../ovs/vswitch.js';
import { createWorkspace } from '../../ovs/workspace/workspace.js';
import { checkNames } from './configure/check-names.js';
import { emptyDatabaseIn, nodeFolder } from './configure/folders.js';
import { dumpPrograms } from './observe/dump-programs.js';
import { programmedByOvn } from './programmed-by-ovn.js';
import { dummyDevices, type DevicesOf } from './devices.js';
import type { SimNode } from './sim-node.js';
import type { DaemonLog, OpenOptions, OvsSwitches } from '../ovs-switches.js';
import { applyCall, runningNodesIn, type RunningNodes } from './running-nodes.js';
import { startedWhileLive, whileSwitchesLive } from './while-switches-live.js';

/** Where the daemons of OVN run that all nodes share: its databases, and ovn-northd. */
export interface Central {
  readonly launch: Launch;
  close(): Promise<void>;
}
/** @param dir of the folders of all daemons. */
export type CentralOf = (dir: string) => Promise<Central>;

/** More would only wait for each other's processors. */
const nodesAtOnce = 8;

/** As `openSwitches` does it, on dummy devices. */
export async function openSim(
  plan: ClusterPlan,
  image: Image,
  options: OpenOptions = {},
): Promise<OvsSwitches> {
  return await openSwitches('sim', dummyDevices, plan, image, options);
}

/**
 * Brings up every node of `plan` with its bridges and flows; nodes in parallel.
 * @param name of the backend, as reports print it.
 * @param centralOf makes a place for the daemons that all nodes share, where it is not this
 *   machine.
 * @param beside versions of what else switches packets.
 * @throws Unavailable naming what did not come up, InputError for a flow that is not one; then
 *   nothing of it is left.
 */
export async function openSwitches(
  name: string,
  devicesOf: DevicesOf,
  plan: ClusterPlan,
  image: Image,
  options: OpenOptions,
  centralOf?: CentralOf,
  beside: OvsSwitches['versions'] = {},
): Promise<OvsSwitches> {
  let nodes: RunningNodes | undefined;
  let ovn: Ovn | undefined;
  let central: Central | undefined;
  const making = createWorkspace();
  const opening = making.then(async ({ dir }) => {
    nodes = runningNodesIn(dir, image, devicesOf, options.program);
    await openNodes(uncompiledPlan(plan), image, dir, nodes);
    const { northbound } = plan;
    if (northbound === undefined) return { nodes };
    const vswitches = new Map(nodes.all().map(({ name, vswitch }) => [name, vswitch]));
    central = await centralOf?.(dir);
    const started = startOvn(northbound, image, dir, vswitches, central?.launch);
    ovn = await startedWhileLive(vswitches, started);
    const compiled = compiledPlan(plan, await whileSwitchesLive(vswitches, ovn.apply(northbound)));
    await nodes.adopt(compiled.nodes, ovn.quiesce);
    return { nodes, programmed: { ovn, compiled } };
  });
  const finish = async () => {
    // Nodes that are still coming up can only be closed once they are there.
    await opening.catch(() => undefined);
    const workspace = await making.catch(() => undefined);
    if (workspace === undefined) return [];
    await ovn?.stop();
    await central?.close();
    await Promise.all((nodes?.all() ?? []).map((node) => node.close()));
    const logs = await readLogs(workspace.dir);
    if (options.folder !== 'keep') await workspace.remove();
    return logs;
  };
  let closing: Promise<readonly DaemonLog[]> | undefined;
  const close = async () => void (await (closing ??= finish()));
  options.teardown?.add(close);
  try {
    const { nodes: running, programmed } = await opening;
    const { dir } = await making;
    const switches: OvsSwitches = {
      name,
      dir,
      get daemons() {
        return daemonsOf(running.all());
      },
      ...switchesOf(running, image, options.wire),
      versions: { ...versionsOf(running.all()), ...beside },
      logs: () => closing ?? readLogs(dir),
      close,
    };
    return programmed === undefined
      ? switches
      : programmedByOvn(switches, programmed, (node) => running.find(node).vswitch);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens the nodes of `plan`, a few at a time; the first that fails ends it, once all have ended.
 */
async function openNodes(
  plan: ClusterPlan,
  image: Image,
  dir: string,
  nodes: RunningNodes,
): Promise<void> {
  for (const node of plan.nodes) checkNames(node, nodeFolder(dir, node.node));
  await createDatabase(image, emptyDatabaseIn(dir));
  await mapConcurrently(nodesAtOnce, plan.nodes, (node) => nodes.open(node));
}

function switchesOf(
  nodes: RunningNodes,
  image: Image,
  wire: OpenOptions['wire'],
): Omit<OvsSwitches, 'name' | 'dir' | 'daemons' | 'logs' | 'close'> {
  let isReconfigured = false;
  const perform = async (call: SwitchCall) => {
    const step = await applyCall(nodes.find(call.node), call);
    return wire?.(step, call.node) ?? step;
  };
  return {
    ...observationsOf(nodes, image),
    reconfigure: (change) => {
      isReconfigured = true;
      return nodes.reconfigure(change);
    },
    call: async (calls) => {
      assert(
        new Set(calls.map(({ node }) => node)).size === calls.length,
        'one call a node at a time',
      );
      return await Promise.all(calls.map(perform));
    },
    reset: async () => {
      assert(!isReconfigured, 'no reset takes back what was reconfigured');
      await Promise.all(nodes.all().map((node) => node.reset()));
    },
    purge: async () => void (await Promise.all(nodes.all().map((node) => node.purge()))),
    ofctl: async (node, bridge, command, ...args) =>
      await nodes.find(node).ofctl(bridge, command, ...args),
    ask: async (node, command, ...args) => await nodes.find(node).ask(command, ...args),
    bundle: async (node, bridge, lines) => await nodes.find(node).bundle(bridge, lines),
    send: async (node, bridge, version, messages) =>
      await nodes.find(node).send(bridge, version, messages),
  };
}

/** What is read from the switches; all nodes at once. */
function observationsOf(
  nodes: RunningNodes,
  image: Image,
): Pick<
  OvsSwitches,
  | 'versions'
  | 'counts'
  | 'assertUndisturbed'
  | 'state'
  | 'lookups'
  | 'countedWork'
  | 'lateFrames'
  | 'program'
  | 'dumpFlows'
> {
  return {
    versions: versionsOf(nodes.all()),
    counts: async () => (await awaitAll(nodes.all().map((node) => node.counts()))).flat(),
    assertUndisturbed: async () =>
      void (await Promise.all(nodes.all().map((node) => node.assertUndisturbed()))),
    state: async () => joinStates(await Promise.all(nodes.all().map((node) => node.state()))),
    lookups: () =>
      nodes
        .all()
        .map((node) => node.lookups())
        .reduce((sum, { hit, missed }) => ({ hit: sum.hit + hit, missed: sum.missed + missed }), {
          hit: 0,
          missed: 0,
        }),
    countedWork: async () =>
      sumOfCounted(await Promise.all(nodes.all().map((node) => node.countedWork()))),
    lateFrames: async () =>
      (await Promise.all(nodes.all().map((node) => node.lateFrames()))).flat(),
    program: (of) =>
      dumpPrograms(
        image,
        nodes.all().filter(({ name }) => of?.has(name) ?? true),
      ),
    dumpFlows: async (node, bridge) => await nodes.find(node).dumpFlows(bridge),
  };
}

function versionsOf(nodes: readonly SimNode[]): Readonly<Record<string, string>> {
  const [first] = nodes;
  return first === undefined
    ? {}
    : {
        'ovs-vswitchd': first.vswitch.vswitchd.version,
        'ovsdb-server': first.vswitch.server.version,
      };
}

function daemonsOf(nodes: readonly SimNode[]): OvsSwitches['daemons'] {
  return new Map(
    nodes.map(({ name, vswitch: { vswitchd, server } }) => [
      name,
      { vswitchd: vswitchd.pid, server: server.pid },
    ]),
  );
}

async function readLogs(dir: string): Promise<readonly DaemonLog[]> {
  const ofNode = async (node: string) => {
    const files = (await readdir(join(dir, node)).catch(() => []))
      .filter((file) => file.endsWith('.log'))
      .sort();
    return await Promise.all(
      files.map(async (file) => ({
        name: `${node}/${file}`,
        text: await readFile(join(dir, node, file), 'utf8'),
      })),
    );
  };
  return (await Promise.all((await readdir(dir).catch(() => [])).sort().map(ofNode))).flat();
}
