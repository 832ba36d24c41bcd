/**
 * The default testbed: real ovs-vswitchd and ovsdb-server for every node, without privilege, in
 * virtual time.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settleAll } from '../../base/concurrency/settle-all.js';
import { mapConcurrently } from '../../base/concurrency/map-concurrently.js';
import { assert, assertNever, unknownName } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { joinStates } from '../../domain/switch-state.js';
import type { Reconfiguration, SwitchCall, SwitchStep } from '../../domain/switching.js';
import { compiledPlan, uncompiledPlan } from '../../ovn/compiled-plan.js';
import { startOvn, type Ovn } from '../../ovn/ovn.js';
import type { Image } from '../../ovs/process/image.js';
import { createDatabase } from '../../ovs/vswitch.js';
import { createWorkspace } from '../../ovs/workspace/workspace.js';
import { checkNames } from './configure/check-names.js';
import { emptyDatabaseIn, renameLeftFolder, nodeFolder } from './configure/folders.js';
import { dumpPrograms } from './observe/dump-programs.js';
import { programmedByOvn } from './programmed-by-ovn.js';
import { openNode, type SimNode } from './sim-node.js';
import type { DaemonLog, OpenOptions, OvsSwitches } from '../ovs-switches.js';

/** More would only wait for each other's processors. */
const nodesAtOnce = 8;

/**
 * Brings up every node of `plan` with its bridges and flows; nodes in parallel.
 * @throws Unavailable naming what did not come up, InputError for a flow that is not one; nothing
 *   is left behind then.
 */
export async function openSim(
  plan: ClusterPlan,
  image: Image,
  options: OpenOptions = {},
): Promise<OvsSwitches> {
  const nodes: SimNode[] = [];
  const making = createWorkspace();
  let ovn: Ovn | undefined;
  const opening = making.then(async ({ dir }) => {
    const { northbound } = plan;
    await openNodes(uncompiledPlan(plan), image, dir, nodes, options.program);
    if (northbound === undefined) return undefined;
    const switches = new Map(nodes.map(({ name, vswitch }) => [name, vswitch]));
    ovn = await startOvn(northbound, image, dir, switches);
    const compiled = compiledPlan(plan, await ovn.apply(northbound));
    await adoptAll(nodes, compiled);
    return { ovn, compiled };
  });
  const finish = async () => {
    // Nodes that are still coming up can only be closed once they are there.
    await opening.catch(() => undefined);
    const workspace = await making.catch(() => undefined);
    if (workspace === undefined) return [];
    await ovn?.stop();
    await Promise.all(nodes.map((node) => node.close()));
    const logs = await readLogs(workspace.dir);
    if (options.folder !== 'keep') await workspace.remove();
    return logs;
  };
  let closing: Promise<readonly DaemonLog[]> | undefined;
  const close = async () => void (await (closing ??= finish()));
  options.teardown?.add(close);
  try {
    const programmed = await opening;
    const { dir } = await making;
    const switches = runningSim(nodes, image, options, dir, close, () => closing ?? readLogs(dir));
    return programmed === undefined
      ? switches
      : programmedByOvn(switches, programmed.ovn, programmed.compiled);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens the nodes of `plan` into `opened`, a few at a time; the first that fails ends it, once
 * those under way have ended.
 */
async function openNodes(
  plan: ClusterPlan,
  image: Image,
  dir: string,
  opened: SimNode[],
  program: OpenOptions['program'],
): Promise<void> {
  for (const node of plan.nodes) checkNames(node, nodeFolder(dir, node.node));
  await createDatabase(image, emptyDatabaseIn(dir));
  await mapConcurrently(nodesAtOnce, plan.nodes, async (node) => {
    opened.push(
      await openNode(node, image, nodeFolder(dir, node.node), emptyDatabaseIn(dir), program),
    );
  });
}

/** Puts nodes that OVN has programmed in the place of those that came up. */
async function adoptAll(nodes: SimNode[], { nodes: plans }: ClusterPlan): Promise<void> {
  await Promise.all(
    plans.map(async (plan) => {
      const place = nodes.findIndex(({ name }) => name === plan.node);
      const node = nodes[place];
      assert(node !== undefined, `node ${plan.node} has come up`);
      nodes[place] = await node.adopt(plan);
    }),
  );
}

function runningSim(
  nodes: SimNode[],
  image: Image,
  options: OpenOptions,
  dir: string,
  close: () => Promise<void>,
  logs: () => Promise<readonly DaemonLog[]>,
): OvsSwitches {
  const sort = () => nodes.sort((a, b) => (a.name < b.name ? -1 : 1));
  sort();
  let isReconfigured = false;
  const find = (name: string) => {
    const node = nodes.find((candidate) => candidate.name === name);
    if (node === undefined)
      throw unknownName(
        'node',
        name,
        nodes.map((candidate) => candidate.name),
      );
    return node;
  };
  const perform = async (call: SwitchCall) => {
    const node = find(call.node);
    const step = await applyCall(node, call);
    return options.wire?.(step, call.node) ?? step;
  };
  const reconfigure = async (change: Reconfiguration) => {
    isReconfigured = true;
    if (change.kind === 'join') {
      const folder = nodeFolder(dir, change.node);
      checkNames(change.plan, folder);
      nodes.push(await openNode(change.plan, image, folder, emptyDatabaseIn(dir), options.program));
      return void sort();
    }
    const node = find(change.node);
    if (change.kind !== 'leave')
      return void nodes.splice(nodes.indexOf(node), 1, await node.reconfigure(change));
    nodes.splice(nodes.indexOf(node), 1);
    await node.close();
    await renameLeftFolder(nodeFolder(dir, change.node));
  };
  return {
    name: 'sim',
    dir,
    versions: versionsOf(nodes),
    get daemons() {
      return new Map(
        nodes.map(({ name, vswitch }) => [
          name,
          { vswitchd: vswitch.vswitchd.pid, server: vswitch.server.pid },
        ]),
      );
    },
    reconfigure,
    call: async (calls) => {
      assert(
        new Set(calls.map(({ node }) => node)).size === calls.length,
        'one call a node at a time',
      );
      return await Promise.all(calls.map(perform));
    },
    reset: async () => {
      assert(!isReconfigured, 'no reset takes back what was reconfigured');
      await Promise.all(nodes.map((node) => node.reset()));
    },
    counts: async () => (await settleAll(nodes.map((node) => node.counts()))).flat(),
    assertUndisturbed: async () =>
      void (await Promise.all(nodes.map((node) => node.assertUndisturbed()))),
    purge: async () => void (await Promise.all(nodes.map((node) => node.purge()))),
    state: async () => joinStates(await Promise.all(nodes.map((node) => node.state()))),
    lookups: () =>
      nodes
        .map((node) => node.lookups())
        .reduce((sum, { hit, missed }) => ({ hit: sum.hit + hit, missed: sum.missed + missed }), {
          hit: 0,
          missed: 0,
        }),
    strays: async () => (await Promise.all(nodes.map((node) => node.strays()))).flat(),
    program: (of) =>
      dumpPrograms(
        image,
        nodes.filter(({ name }) => of?.has(name) ?? true),
      ),
    ofctl: async (node, bridge, command, ...args) =>
      await find(node).ofctl(bridge, command, ...args),
    dumpFlows: async (node, bridge) => await find(node).dumpFlows(bridge),
    bundle: async (node, bridge, lines) => await find(node).bundle(bridge, lines),
    send: async (node, bridge, version, messages) =>
      await find(node).send(bridge, version, messages),
    logs,
    close,
  };
}

async function applyCall(node: SimNode, call: SwitchCall): Promise<SwitchStep> {
  switch (call.kind) {
    case 'receive':
      return await node.receive(call.port, call.frames, call.areApart);
    case 'advance':
      return await node.advance(call.ms);
    case 'change':
      return await node.change(call.bridge, call.lines);
    case 'link':
      return await node.link(call.port, call.state);
    case 'flush':
      return await node.flush(call);
    default:
      return assertNever(call);
  }
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
