/** From a node's plan to a switch that holds it: bridges, ports, tunnels, flows. */
import { withDeadline } from '../../../base/concurrency/deadline.js';
import { assert, InputError, Unavailable } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import { flowBased, type PortPlan } from '../../../domain/plan/port-plan.js';
import type { Daemon } from '../../../ovs/process/daemon.js';
import type { Operation } from '../../../ovs/ovsdb/ovsdb.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import { until } from '../../../base/concurrency/until.js';
import {
  attachOperations,
  configured,
  configureOperations,
  detachOperations,
  dumpedOperations,
  bumpNextCfg,
} from './configure.js';
import { awaitedMacs, checkPorts, selectInterfaces } from './check-ports.js';
import { timeoutTransactions } from './timeout-transactions.js';
import { setNeighbours } from '../quiesce/native-tunnel-neighbours.js';
import type { PortSocket } from '../traffic/port-socket.js';
import { openTunnels, reapplyTunnelRoutes, tunnelsEnd } from './underlay.js';

const limitMs = 10_000;

/**
 * Makes the bridges and ports of `plan` and waits until each is as planned and has its wire.
 * @throws Unavailable naming what is not.
 */
export async function makeBridges(
  plan: NodePlan,
  vswitch: Vswitch,
  wires: readonly PortSocket[],
): Promise<void> {
  const rows = plan.asDumped?.rows;
  const operations =
    rows === undefined
      ? configureOperations(plan, pathAmong(wires))
      : dumpedOperations(rows, await vswitch.ovsdb.schema(), pathAmong(wires));
  await configure(vswitch, operations, 'make its bridges');
  await ready(plan, vswitch, wires);
  for (const timeouts of timeoutTransactions(plan))
    await configure(vswitch, timeouts, 'know the timeouts of connections');
  await prepare(plan, vswitch);
}

/** The same when ovs-vswitchd has restarted: its database gives it bridges and ports. */
export async function findBridges(
  plan: NodePlan,
  vswitch: Vswitch,
  wires: readonly PortSocket[],
): Promise<void> {
  assert(
    timeoutTransactions(plan).length === 0,
    'a switch that starts with timeouts of connections in its database does not take them',
  );
  await configure(vswitch, [], 'find its bridges');
  await ready(plan, vswitch, wires);
  await prepare(plan, vswitch);
}

/** Gives a bridge one port more; `plan` has it already. */
export async function attachPort(
  plan: NodePlan,
  bridge: BridgePlan,
  port: PortPlan,
  vswitch: Vswitch,
  wires: readonly PortSocket[],
): Promise<void> {
  await configure(
    vswitch,
    attachOperations(bridge, port, pathAmong(wires)),
    `make port ${port.name}`,
  );
  await ready(plan, vswitch, wires);
}

/** Takes a port from a bridge. */
export async function detachPort(bridge: string, port: string, vswitch: Vswitch): Promise<void> {
  const [[row] = []] = await vswitch.ovsdb.transact([
    { op: 'select', table: 'Port', where: [['name', '==', port]], columns: ['_uuid'] },
  ]);
  if (row?.['_uuid'] === undefined)
    throw new InputError(`bridge ${bridge} has no port "${port}" that could go`);
  await configure(vswitch, detachOperations(bridge, row['_uuid']), `remove port ${port}`);
}

const pathAmong = (wires: readonly PortSocket[]) => (port: string) =>
  wires.find((wire) => wire.port === port)?.path ?? '';

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
  wires: readonly PortSocket[],
): Promise<void> {
  await until(`${vswitchd.name} to set the MACs of its ports`, limitMs, async () => {
    const [rows = []] = await ovsdb.transact([selectInterfaces]);
    checkPorts(plan, rows);
    return awaitedMacs(plan, rows);
  });
  await withDeadline(
    Promise.all(wires.map((wire) => wire.connected)),
    limitMs,
    `${vswitchd.name} to connect to its ports`,
  );
}

/**
 * What a daemon is given beside what its database holds: limits of the tracker, addresses, routes
 * and neighbours of the underlay.
 */
async function prepare(plan: NodePlan, { vswitchd }: Vswitch): Promise<void> {
  await configureTracker(plan, vswitchd);
  await openTunnels(plan, vswitchd);
  await checkTunnels(plan, vswitchd);
}

/** Waits until the tunnels of `plan` work that others have made, behind the switch's bring-up. */
export async function adoptTunnels(plan: NodePlan, { vswitchd }: Vswitch): Promise<void> {
  await tunnelsEnd(plan, vswitchd);
  await checkTunnels(plan, vswitchd);
}

/** What of the tracker the database does not hold. */
async function configureTracker(plan: NodePlan, vswitchd: Daemon): Promise<void> {
  const { call } = vswitchd.unixctl;
  const { conntrack } = plan;
  const { limits = [], mostConnections, tcpSequences } = conntrack ?? {};
  const inOrder = [
    ...limits.filter(({ zone }) => zone === 'default'),
    ...limits.filter(({ zone }) => zone !== 'default'),
  ];
  if (limits.length > 0)
    await call(
      'dpctl/ct-set-limits',
      ...inOrder.map(({ zone, connections }) =>
        zone === 'default' ? `default=${connections}` : `zone=${zone},limit=${connections}`,
      ),
    );
  if (mostConnections !== undefined) await call('dpctl/ct-set-maxconns', String(mostConnections));
  if (tcpSequences === 'not checked') await call('dpctl/ct-disable-tcp-seq-chk');
}

/**
 * Asks the switch itself whether it can build the headers of the planned tunnels: it makes ports of
 * types that its userspace datapath cannot send through, and would drop every packet.
 */
async function checkTunnels(plan: NodePlan, vswitchd: Daemon): Promise<void> {
  const { name, unixctl } = vswitchd;
  await setNeighbours(plan, unixctl);
  const known = plan.bridges.flatMap(({ underlay }) => underlay?.neighbours ?? []);
  for (const bridge of plan.bridges) {
    for (const port of bridge.ports) {
      if (port.kind !== 'tunnel') continue;
      const { remote_ip: remote } = port.options ?? flowBased;
      // Of one that is not known it would ask, and somebody would answer.
      const neighbour =
        remote === 'flow'
          ? known.find(({ ip }) => !ip.includes(':'))
          : known.find(({ ip }) => ip === remote);
      if (neighbour === undefined) continue;
      const trace = () =>
        unixctl.call(
          'ofproto/trace-packet-out',
          bridge.name,
          'ip',
          `set_field:${neighbour.ip}->${neighbour.ip.includes(':') ? 'tun_ipv6_dst' : 'tun_dst'},` +
            `output:${port.ofport}`,
        );
      let output = await trace();
      if (whyNoHeader(output) !== undefined && (await reapplyTunnelRoutes(plan, vswitchd)))
        output = await trace();
      const why = whyNoHeader(output);
      if (why === undefined) continue;
      throw new Unavailable(
        `${name} cannot tunnel by ${port.tunnel}: ${why}`,
        ['use a type of tunnel that the userspace datapath has: geneve, vxlan, gre'],
        output
          .split('\n')
          .filter((line) => /(->|>>) /.test(line))
          .map((line) => line.trim()),
      );
    }
  }
}

function whyNoHeader(trace: string): string | undefined {
  return />> (native tunnel header build.*)/.exec(trace)?.[1];
}
