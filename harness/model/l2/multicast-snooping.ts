/**
 * What one bridge has learned of who wants which multicast, and where multicast goes by that (Open
 * vSwitch lib/mcast-snooping.c; ovs-vswitchd.conf.db(5), "mcast_snooping_enable").
 */
import { InputError } from '../../base/errors/errors.js';
import { formatAddress } from '../../base/addresses/ip-address.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { portNumbers } from '../../openflow/bridge-program.js';

export interface Snooping {
  readonly ageingS: number;
  readonly size: number;
  readonly unregistered: 'flooded' | 'to routers';
  /** OpenFlow numbers of ports that get all multicast, and of those that get all reports. */
  readonly floodPorts: readonly number[];
  readonly reportPorts: readonly number[];
  /** By VLAN and address, the one that was asked for longest ago first. */
  readonly groups: Map<string, MulticastGroup>;
  /**
   * Ports with routers behind them by VLAN and port, the one that was refreshed longest ago first.
   */
  readonly routers: Map<string, MulticastRouter>;
}

export interface MulticastGroup {
  readonly vlan: number;
  /** 128 bits; that of IPv4 as `::ffff:a.b.c.d`. */
  readonly address: bigint;
  /** The second of virtual time at which each port is forgotten, the first to go first. */
  readonly members: Map<number, number>;
}

export interface MulticastRouter {
  readonly vlan: number;
  readonly port: number;
  readonly expiresS: number;
}

/** What a packet says about its sender. */
export type Membership =
  | { readonly kind: 'join' | 'leave'; readonly group: bigint }
  | { readonly kind: 'router' };

/** Where a packet came in. */
export interface IngressPort {
  readonly vlan: number;
  readonly port: number;
}

const ageing = { least: 15, most: 3600, usual: 300, ofRouters: 180 } as const;
const size = { least: 10, most: 1_000_000, usual: 2048 } as const;

/**
 * As a new bridge has it; undefined for one that does not snoop. @throws InputError for a port that
 * is not there.
 */
export function snoopingOf(bridge: BridgePlan): Snooping | undefined {
  const { multicastSnooping: plan } = bridge;
  if (plan === undefined) return undefined;
  const numbers = portNumbers(bridge);
  const numbersOf = (ports: readonly string[] = []) =>
    ports.map((port) => {
      const number = numbers.get(port);
      if (number === undefined)
        throw new InputError(
          `multicast snooping of bridge ${bridge.name} is about port "${port}", which is not there`,
        );
      return number;
    });
  return {
    ageingS: limited(plan.ageingS, ageing),
    size: limited(plan.size, size),
    unregistered: plan.unregistered ?? 'flooded',
    floodPorts: numbersOf(plan.flood),
    reportPorts: numbersOf(plan.floodReports),
    groups: new Map(),
    routers: new Map(),
  };
}

/** Zero asks for nothing. */
function limited(
  asked: number | undefined,
  { least, most, usual }: { readonly least: number; readonly most: number; readonly usual: number },
): number {
  return asked === undefined || asked === 0 ? usual : Math.min(most, Math.max(least, asked));
}

/** Records what came in at a port; ports that get all multicast are not recorded. */
export function updateMembership(
  snooping: Snooping,
  place: IngressPort,
  membership: Membership,
  nowMs: number,
): void {
  if (snooping.floodPorts.includes(place.port)) return;
  const nowS = Math.floor(nowMs / 1000);
  switch (membership.kind) {
    case 'join':
      return join(snooping, place, membership.group, nowS);
    case 'leave':
      return leave(snooping, place, membership.group);
    case 'router': {
      const name = `${place.vlan} ${place.port}`;
      snooping.routers.delete(name);
      snooping.routers.set(name, { ...place, expiresS: nowS + ageing.ofRouters });
    }
  }
}

/** What goes to routers anyway needs no group. */
function join(
  { groups, routers, size: most, ageingS }: Snooping,
  { vlan, port }: IngressPort,
  address: bigint,
  nowS: number,
): void {
  if (routers.has(`${vlan} ${port}`)) return;
  const name = `${vlan} ${address}`;
  const [oldest] = groups.keys();
  const group = groups.get(name) ?? { vlan, address, members: new Map<number, number>() };
  if (!groups.delete(name) && groups.size >= most) groups.delete(oldest ?? '');
  groups.set(name, group);
  group.members.delete(port);
  group.members.set(port, nowS + ageingS);
}

/** Behind a port that gets all reports there may be others who want the group. */
function leave(
  { groups, reportPorts }: Snooping,
  { vlan, port }: IngressPort,
  address: bigint,
): void {
  if (!reportPorts.includes(port)) groups.get(`${vlan} ${address}`)?.members.delete(port);
}

/**
 * Removes what has expired. Groups are checked from the one that was asked for longest ago, until
 * there is one of which nothing has expired: behind it, members may stay too long, and groups
 * without any (mcast_snooping_run__).
 */
export function ageSnooping({ groups, routers }: Snooping, nowMs: number): void {
  const nowS = Math.floor(nowMs / 1000);
  for (const [name, { members }] of groups) {
    for (const [port, expiresS] of members) if (expiresS <= nowS) members.delete(port);
    if (members.size > 0) break;
    groups.delete(name);
  }
  for (const [name, { expiresS }] of routers) if (expiresS <= nowS) routers.delete(name);
}

/** Where a report goes: it may name a port twice, which then gets it twice. */
export function portsForReports(snooping: Snooping, vlan: number): readonly number[] {
  return [...routerPorts(snooping, vlan), ...snooping.reportPorts];
}

/**
 * Where other multicast goes; a port that asked for it before a router was found there gets it
 * twice.
 */
export function portsForGroup(
  snooping: Snooping,
  vlan: number,
  address: bigint,
): readonly number[] | 'all' {
  const group = snooping.groups.get(`${vlan} ${address}`);
  if (group === undefined && snooping.unregistered === 'flooded') return 'all';
  return [...(group?.members.keys() ?? []), ...snooping.floodPorts, ...routerPorts(snooping, vlan)];
}

function routerPorts({ routers }: Snooping, wanted: number): readonly number[] {
  return [...routers.values()].filter(({ vlan }) => vlan === wanted).map(({ port }) => port);
}

/** In the order and the words of `mdb/show`, with the OpenFlow numbers of ports. */
export function dumpSnooping(
  { groups, routers, ageingS }: Snooping,
  nowMs: number,
): readonly {
  readonly port: number;
  readonly vlan: number;
  readonly group: string;
  readonly ageS: number;
}[] {
  const nowS = Math.floor(nowMs / 1000);
  return [
    ...[...groups.values()].flatMap(({ vlan, address, members }) =>
      [...members].map(([port, expiresS]) => ({
        port,
        vlan,
        group: formatAddress(address),
        ageS: ageingS - (expiresS - nowS),
      })),
    ),
    ...[...routers.values()].map(({ port, vlan, expiresS }) => ({
      port,
      vlan,
      group: 'querier',
      ageS: ageing.ofRouters - (expiresS - nowS),
    })),
  ];
}
