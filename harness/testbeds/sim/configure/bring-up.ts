/** From a node's plan to a switch that holds it: bridges, ports, tunnels, flows. */
import { giveUpMs, withDeadline } from '../../../base/concurrency/deadline.js';
import { assert, InputError } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { PortPlan } from '../../../domain/plan/port-plan.js';
import type { Daemon } from '../../../ovs/process/daemon.js';
import type { Operation } from '../../../ovs/ovsdb/ovsdb.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import { until } from '../../../base/concurrency/until.js';
import {
  attachOperations,
  configured,
  configureInOrder,
  configureOperations,
  detachOperations,
  dumpedOperations,
  limitCache,
  bumpNextCfg,
} from './configure.js';
import { pluggedLater } from './interface-plan.js';
import { awaitedMacs, checkPorts, selectInterfaces } from './check-ports.js';
import { configureTracker } from './configure-tracker.js';
import { timeoutTransactions } from './timeout-transactions.js';
import type { Wire } from '../traffic/port-socket.js';
import type { Devices } from '../devices.js';
import type { DeviceOf } from './interface-plan.js';
import { checkTunnels } from './check-tunnels.js';

const limitMs = giveUpMs;

/**
 * Makes the bridges and ports of `plan` and waits until each is as planned and has its wire.
 * @throws Unavailable naming what is not.
 */
export async function makeBridges(
  plan: NodePlan,
  vswitch: Vswitch,
  devices: Devices,
  wires: readonly Wire[],
): Promise<void> {
  const rows = plan.asDumped?.rows;
  const operations =
    rows === undefined
      ? configureOperations(plan, deviceAmong(wires), devices.datapath)
      : dumpedOperations(rows, await vswitch.ovsdb.schema(), deviceAmong(wires));
  await configure(vswitch, operations, 'make its bridges');
  await complete(plan, vswitch, devices, wires);
}

/**
 * The same, a bridge and a port at a time, those of pods last: a datapath numbers ports as they
 * come, and a pass of the main loop asks them by these numbers (lib/dpif-netdev.c,
 * dpif_netdev_run). Made at once, they come in the order of random UUIDs, and a packet that a
 * node's stack gives back is met in the same pass or in the next, by chance.
 */
export async function makeBridgesInOrder(
  plan: NodePlan,
  vswitch: Vswitch,
  devices: Devices,
  wires: readonly Wire[],
): Promise<void> {
  const transactions = configureInOrder(plan, deviceAmong(wires), devices.datapath);
  for (const { what, operations } of transactions) await configure(vswitch, operations, what);
  await complete(plan, vswitch, devices, wires);
}

/** What follows once a database has all bridges and ports of `plan`. */
async function complete(
  plan: NodePlan,
  vswitch: Vswitch,
  devices: Devices,
  wires: readonly Wire[],
): Promise<void> {
  await ready(plan, vswitch, devices, wires);
  for (const [bond, member] of plan.asDumped?.activeMembers ?? [])
    await vswitch.vswitchd.unixctl.call('bond/set-active-member', bond, member);
  for (const migration of plan.asDumped?.bondHashes ?? [])
    await vswitch.vswitchd.unixctl.call('bond/migrate', ...migration);
  for (const timeouts of timeoutTransactions(plan))
    await configure(vswitch, timeouts, 'know the timeouts of connections');
  await prepare(plan, vswitch, devices);
}

/** The same when ovs-vswitchd has restarted: its database gives it bridges and ports. */
export async function findBridges(
  plan: NodePlan,
  vswitch: Vswitch,
  devices: Devices,
  wires: readonly Wire[],
): Promise<void> {
  assert(
    timeoutTransactions(plan).length === 0,
    'a switch that starts with timeouts of connections in its database does not take them',
  );
  await configure(vswitch, [], 'find its bridges');
  await ready(plan, vswitch, devices, wires);
  await prepare(plan, vswitch, devices);
}

/** Gives a bridge one port more; `plan` has it already. */
export async function attachPort(
  plan: NodePlan,
  bridge: BridgePlan,
  port: PortPlan,
  vswitch: Vswitch,
  devices: Devices,
  wires: readonly Wire[],
): Promise<void> {
  await configure(
    vswitch,
    attachOperations(bridge, port, deviceAmong(wires)),
    `make port ${port.name}`,
  );
  await ready(plan, vswitch, devices, wires);
}

/** Takes a port from a bridge, unless the program that has plugged it has done so already. */
export async function detachPort(
  { name: bridge, origin }: BridgePlan,
  port: string,
  vswitch: Vswitch,
): Promise<void> {
  const [[row] = []] = await vswitch.ovsdb.transact([
    { op: 'select', table: 'Port', where: [['name', '==', port]], columns: ['_uuid'] },
  ]);
  if (row === undefined && origin === 'dumped') return;
  if (row?.['_uuid'] === undefined)
    throw new InputError(`bridge ${bridge} has no port "${port}" that could go`);
  await configure(vswitch, detachOperations(bridge, row['_uuid']), `remove port ${port}`);
}

function deviceAmong(wires: readonly Wire[]): DeviceOf {
  return (port) => {
    const wire = wires.find((candidate) => candidate.port === port);
    assert(wire !== undefined, `port ${port} has a wire`);
    return wire.device;
  };
}

/** From now on each packet is translated (flow-limit in ovs-vswitchd.conf.db(5)). */
export async function cacheNothing(vswitch: Vswitch): Promise<void> {
  await configure(vswitch, [limitCache], 'cache nothing');
  await vswitch.vswitchd.unixctl.call('upcall/set-flow-limit', '0');
}

/** Executes a transaction and waits until ovs-vswitchd has done what follows from it. */
async function configure(
  { ovsdb, vswitchd }: Vswitch,
  operations: readonly Operation[],
  what: string,
): Promise<void> {
  const results = await ovsdb.transact([...operations, ...bumpNextCfg]);
  const raised = results.at(-1)?.[0]?.['next_cfg'];
  assert(raised !== undefined, 'the database returns next_cfg');
  await ovsdb.waitFor(`${vswitchd.name} to ${what}`, configured(raised), limitMs);
}

/** Waits until all ports are as planned, and their wires connected. */
async function ready(
  plan: NodePlan,
  { ovsdb, vswitchd }: Vswitch,
  devices: Devices,
  wires: readonly Wire[],
): Promise<void> {
  await until(`${vswitchd.name} to set the MACs of its ports`, limitMs, async () => {
    const [rows = []] = await ovsdb.transact([selectInterfaces]);
    checkPorts(plan, rows);
    return awaitedMacs(plan, rows);
  });
  await devices.portsMade(plan);
  const later = pluggedLater(plan);
  await wired(
    vswitchd,
    wires.filter(({ port }) => !later.has(port)),
  );
}

/**
 * What a daemon is given beside what its database holds: limits of the tracker, addresses, routes
 * and neighbours of the underlay.
 */
async function prepare(plan: NodePlan, { vswitchd }: Vswitch, devices: Devices): Promise<void> {
  await configureTracker(plan, vswitchd);
  await devices.openTunnels(plan, vswitchd);
  await checkTunnels(plan, vswitchd);
}

/** Waits until the ports of `plan` work that others have made, behind the switch's bring-up. */
export async function adoptPorts(
  plan: NodePlan,
  { ovsdb, vswitchd }: Vswitch,
  devices: Devices,
  wires: readonly Wire[],
): Promise<void> {
  const [rows = []] = await ovsdb.transact([selectInterfaces]);
  checkPorts(plan, rows);
  await wired(vswitchd, wires);
  await devices.tunnelsAdded(plan, vswitchd);
  await checkTunnels(plan, vswitchd);
}

async function wired(vswitchd: Daemon, wires: readonly Wire[]): Promise<void> {
  await withDeadline(
    Promise.all(wires.map((wire) => wire.connected)),
    limitMs,
    `${vswitchd.name} to connect to its ports`,
  );
}
