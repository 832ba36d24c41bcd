/**
 * Where a node's tunnels end and what its underlay routes: ovs-vswitchd gets it by command, and
 * again where it has forgotten.
 *
 * It forgets when the network that it runs in changes (harness/ovs/process/isolation.ts). Then it
 * throws away the routes that it has made itself, such as the one that comes with the address of a
 * device, and with each of them that tunnels end at that device, though a route that it was given
 * leads there as well (Open vSwitch lib/ovs-router.c, ovs_router_flush). Given that route again it
 * knows again, and has none left to throw away.
 */
import { Disturbed } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { UnderlayRoute } from '../../../domain/plan/bridge-plan.js';
import type { Daemon } from '../../../ovs/process/daemon.js';
import { isolation } from '../../../ovs/process/isolation.js';
import { until } from '../../../base/concurrency/until.js';
import { giveUpMs } from '../../../base/concurrency/deadline.js';

export interface Underlay {
  /**
   * Asked before a difference is reported. Whether tunnels end where they should is not enough:
   * ovs-vswitchd may have had none for the moment in which it dumped its routes again.
   * @throws Disturbed where the network that it runs in has changed since `restore`.
   */
  assertUndisturbed(): Promise<void>;
  /** Adds what ovs-vswitchd has forgotten; whether the network changed since the last time. */
  restore(): Promise<boolean>;
}

const limitMs = giveUpMs;

/** Asks nothing where nothing can reach in, or no tunnel ends. */
export async function underlayOf(plan: NodePlan, vswitchd: Daemon): Promise<Underlay> {
  const { network } = await isolation();
  if (network === 'own' || !hasTunnels(plan)) {
    return { assertUndisturbed: () => Promise.resolve(), restore: () => Promise.resolve(false) };
  }
  const changes = () => networkChanges(vswitchd);
  let restoredAt = await changes();
  return {
    assertUndisturbed: async () => {
      if ((await changes()) !== restoredAt) throw disturbed(vswitchd);
    },
    restore: async () => {
      const before = restoredAt;
      // Read first: what changes while routes are added counts as a change after them.
      restoredAt = await changes();
      return (await reapplyTunnelRoutes(plan, vswitchd)) || restoredAt !== before;
    },
  };
}

/**
 * How many changes of links, addresses and routes ovs-vswitchd has read from netlink (lib/
 * netlink-notifier.c). It counts them where it acts on them, so none is acted on and not counted.
 */
async function networkChanges({ unixctl }: Daemon): Promise<string> {
  return (await unixctl.call('coverage/read-counter', 'nln_changed')).trim();
}

function disturbed({ name }: Daemon): Disturbed {
  return new Disturbed(
    'a link, an address or a route of this machine came or went while it was played: ' +
      `${name} dumped its routes again, and has no tunnels meanwhile`,
    [
      'run it again',
      'or give switches a network of their own: ./flowbed doctor says what is in the way',
    ],
  );
}

/**
 * Gives the underlay's bridge its addresses and routes, and waits until native tunnels end there.
 */
export async function openTunnels(plan: NodePlan, vswitchd: Daemon): Promise<void> {
  const { call } = vswitchd.unixctl;
  for (const { bridge, block, family } of blocksOf(plan)) {
    await call(`netdev-dummy/ip${family}addr`, bridge, block);
    await call('ovs/route/add', block, bridge);
  }
  for (const route of otherRoutes(plan)) await call('ovs/route/add', ...route);
  await tunnelsEnd(plan, vswitchd);
}

/** Waits until native tunnels end at the underlay's addresses, where there are any. */
export async function tunnelsEnd(plan: NodePlan, vswitchd: Daemon): Promise<void> {
  if (!hasTunnels(plan)) return;
  const { network } = await isolation();
  const ends = blocksOf(plan)
    .map(({ ip }) => ip)
    .join(' and ');
  await until(`${vswitchd.name} to end tunnels at ${ends}`, limitMs, async () => {
    const left = await missingTunnelEnds(plan, vswitchd);
    if (left.length > 0 && network !== 'own') await reapplyTunnelRoutes(plan, vswitchd);
    return left;
  });
}

/** Whether it had forgotten where tunnels end; then it is set again. */
export async function reapplyTunnelRoutes(plan: NodePlan, vswitchd: Daemon): Promise<boolean> {
  if ((await missingTunnelEnds(plan, vswitchd)).length === 0) return false;
  const { call } = vswitchd.unixctl;
  const own = blocksOf(plan).map(({ block, bridge }) => [block, bridge] as const);
  const others = otherRoutes(plan);
  // All go before the first comes: one that goes takes the ends of its device with it.
  for (const [destination] of own) await call('ovs/route/del', destination);
  for (const { destination, mark } of routesOf(plan)) {
    await call('ovs/route/del', destination, ...markOf(mark));
  }
  for (const route of [...own, ...others]) await call('ovs/route/add', ...route);
  return true;
}

/**
 * The addresses at which tunnels should end and do not, each with what the switch reports instead.
 */
async function missingTunnelEnds(plan: NodePlan, { unixctl }: Daemon): Promise<readonly string[]> {
  if (!hasTunnels(plan)) return [];
  const ends = await unixctl.call('tnl/ports/show', '-v');
  return blocksOf(plan)
    .filter(({ ip, family }) => !ends.includes(`ipv${family}(dst=${ip},`))
    .map(({ ip }) => `none at ${ip}: ${ends.trim()}`);
}

interface Block {
  readonly bridge: string;
  readonly ip: string;
  readonly family: 4 | 6;
  /** `172.30.0.0/16` is printed as `172.30.0.1/16`. */
  readonly block: string;
}

function blocksOf({ bridges }: NodePlan): readonly Block[] {
  return bridges.flatMap(({ name: bridge, underlay }) => {
    if (underlay === undefined) return [];
    return [underlay, ...(underlay.ipv6 === undefined ? [] : [underlay.ipv6])].map(
      ({ ip, prefixLength }) => ({
        bridge,
        ip,
        family: ip.includes(':') ? (6 as const) : (4 as const),
        block: `${ip}/${prefixLength}`,
      }),
    );
  });
}

function routesOf({ bridges }: NodePlan): readonly (UnderlayRoute & { readonly bridge: string })[] {
  return bridges.flatMap(({ name: bridge, underlay }) =>
    (underlay?.routes ?? []).map((route) => ({ ...route, bridge })),
  );
}

/** Arguments of ovs/route/add. */
function otherRoutes(plan: NodePlan): readonly (readonly string[])[] {
  return routesOf(plan).map(({ destination, bridge, gateway, mark }) => [
    destination,
    bridge,
    ...(gateway === undefined ? [] : [gateway]),
    ...markOf(mark),
  ]);
}

function markOf(mark: number | undefined): readonly string[] {
  return mark === undefined ? [] : [`pkt_mark=${mark}`];
}

/** Those of Bareudp end nowhere in userspace: `checkTunnels` has the switch say so. */
function hasTunnels({ bridges }: NodePlan): boolean {
  return bridges.some(({ ports }) =>
    ports.some((port) => port.kind === 'tunnel' && port.tunnel !== 'bareudp'),
  );
}
