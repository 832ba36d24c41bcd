/**
 * Which way frames go between hosts and switches: the wires at ports, and the network between
 * nodes.
 */
import { formatMac, parseCidr } from '../base/addresses/mac-and-ipv4.js';
import { assert, unknownName } from '../base/errors/errors.js';
import { oncePer } from '../base/once-per.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { LinkProperties } from '../domain/link.js';
import type { HostPlan, InterfacePlan } from '../domain/plan/host-plan.js';
import type { Stimulus } from '../domain/test-vector.js';
import { linksInUse } from './link.js';
import {
  createHost,
  memoryOf,
  type VectorRandomness,
  type Host,
  type HostMemories,
} from './stack/host.js';

/**
 * How long a frame takes from a host to its switch port and back, and across the network between
 * nodes.
 */
export const latencyUs = { port: 10, underlay: 100 } as const;

/** A frame at the end of its way. */
export type Arrival =
  | {
      readonly kind: 'to-switch';
      readonly node: string;
      readonly port: string;
      readonly frame: Uint8Array;
    }
  | {
      readonly kind: 'to-host';
      readonly host: Host;
      readonly via: InterfacePlan;
      readonly frame: Uint8Array;
    };

export interface Delivery {
  readonly delayUs: number;
  readonly arrival: Arrival;
}

export interface Wiring {
  host(name: string): Host;
  /**
   * Where a frame goes that a host sends: to its switch port, or across the network between nodes.
   */
  fromHost(host: Host, via: InterfacePlan, frame: Uint8Array): readonly Delivery[];
  /**
   * Where a frame goes that left a switch port: to a host, across the network between nodes, or
   * nowhere.
   */
  fromSwitch(node: string, port: string, frame: Uint8Array): readonly Delivery[];
}

/** What is at the end of a wire. */
type WireEnd =
  | { readonly kind: 'host'; readonly host: string; readonly via: InterfacePlan }
  | { readonly kind: 'switch'; readonly node: string; readonly port: string };

/**
 * What hangs on a network outside of the nodes: an uplink, another adapter of a node, or an
 * external host.
 */
interface NetworkAttachment {
  /** As a block of addresses; missing where nobody says which: then it is on every one. */
  readonly network?: string;
  readonly mac: string;
  readonly end: WireEnd;
}

interface PlannedHost {
  readonly plan: HostPlan;
  /** Missing for an external host. */
  readonly node?: string;
  readonly deviceAddresses: ReadonlySet<string>;
}

/** All wires of a plan, the same for every vector. */
interface Wires {
  readonly hosts: ReadonlyMap<string, PlannedHost>;
  /** By `node port`: the host, or the station that the port is. */
  readonly atPort: ReadonlyMap<string, WireEnd | NetworkAttachment>;
  readonly outside: ReadonlyMap<InterfacePlan, NetworkAttachment>;
  readonly stations: readonly NetworkAttachment[];
  /** By node, of those that are not perfect. */
  readonly links: ReadonlyMap<string, LinkProperties>;
}

const cablingOf = oncePer(wiresOf);

function wiresOf(plan: ClusterPlan): Wires {
  const hosts = new Map<string, PlannedHost>();
  const atPort = new Map<string, WireEnd | NetworkAttachment>();
  const outside = new Map<InterfacePlan, NetworkAttachment>();
  const links = new Map(
    plan.nodes.flatMap(({ node, link }) => (link === undefined ? [] : [[node, link] as const])),
  );
  for (const { node, hosts: hostPlans, bridges } of plan.nodes) {
    const answeredFor = new Set(bridges.flatMap(({ underlay }) => underlay?.ip ?? []));
    for (const hostPlan of hostPlans) {
      hosts.set(hostPlan.name, { plan: hostPlan, node, deviceAddresses: answeredFor });
      for (const via of hostPlan.interfaces) {
        if (via.port === undefined) outside.set(via, stationOf(hostPlan.name, via));
        else atPort.set(`${node} ${via.port}`, { kind: 'host', host: hostPlan.name, via });
      }
    }
    const [underlay] = bridges.flatMap((bridge) => bridge.underlay ?? []);
    for (const port of bridges.flatMap(({ ports }) => ports)) {
      if (port.kind === 'uplink')
        atPort.set(`${node} ${port.name}`, {
          ...(underlay === undefined ? {} : { network: networkOf(underlay) }),
          mac: port.mac,
          end: { kind: 'switch', node, port: port.name },
        });
    }
  }
  for (const hostPlan of plan.externalHosts ?? []) {
    hosts.set(hostPlan.name, { plan: hostPlan, deviceAddresses: new Set() });
    for (const via of hostPlan.interfaces) outside.set(via, stationOf(hostPlan.name, via));
  }
  return {
    hosts,
    atPort,
    outside,
    links,
    stations: [...[...atPort.values()].filter((end) => 'mac' in end), ...outside.values()],
  };
}

function stationOf(host: string, via: InterfacePlan): NetworkAttachment {
  return { network: networkOf(via), mac: via.mac, end: { kind: 'host', host, via } };
}

function networkOf({
  ip,
  prefixLength,
}: {
  readonly ip: string;
  readonly prefixLength: number;
}): string {
  return `${parseCidr(`${ip}/${prefixLength}`).number}/${prefixLength}`;
}

/** Whose switch it is; missing for a host. */
function nodeAt({ end }: NetworkAttachment): string | undefined {
  return end.kind === 'switch' ? end.node : undefined;
}

function shareNetwork(
  { network: one }: NetworkAttachment,
  { network: other }: NetworkAttachment,
): boolean {
  return one === undefined || other === undefined || one === other;
}

/**
 * Hosts for all of the plan, who know what there are memories of, and the wires between them and
 * its switches.
 */
export function connectWires(
  plan: ClusterPlan,
  stimulus: Stimulus,
  random: VectorRandomness,
  memories: HostMemories,
): Wiring {
  const interjection = 'interjection' in stimulus ? stimulus.interjection : undefined;
  const { hosts, atPort, outside, stations, links } = cablingOf(plan);
  const { onLinkOf, isUp } = linksInUse(links, random.sequences.opener, memories.clock);
  const plannedHost = (name: string) => {
    const found = hosts.get(name);
    if (found === undefined) throw unknownName('host', name, [...hosts.keys()]);
    return found;
  };
  const called = new Map<string, Host>();
  const hostCalled = (name: string): Host => {
    const before = called.get(name);
    if (before !== undefined) return before;
    const { plan: hostPlan, deviceAddresses } = plannedHost(name);
    const host = createHost(hostPlan, random, {
      interjection,
      deviceAddresses,
      clock: memories.clock,
      memory: memoryOf(memories, name),
    });
    called.set(name, host);
    memories.hosts.set(name, host);
    return host;
  };
  const arrivalAt = (end: WireEnd, frame: Uint8Array): Arrival =>
    end.kind === 'switch'
      ? { kind: 'to-switch', node: end.node, port: end.port, frame }
      : { kind: 'to-host', host: hostCalled(end.host), via: end.via, frame };
  /** Each network is one switch that knows every address there. */
  const across = (sender: NetworkAttachment, frame: Uint8Array): readonly Delivery[] => {
    const destination = formatMac(frame);
    const toAll = ((frame[0] ?? 0) & 1) === 1;
    const linkUs = onLinkOf(nodeAt(sender), frame);
    if (linkUs === undefined) return [];
    return stations
      .filter(
        (station) =>
          station !== sender &&
          isUp(nodeAt(station)) &&
          shareNetwork(station, sender) &&
          (toAll || station.mac === destination),
      )
      .map(({ end }) => ({ delayUs: latencyUs.underlay + linkUs, arrival: arrivalAt(end, frame) }));
  };
  return {
    host: hostCalled,
    fromHost(host, via, frame) {
      const station = outside.get(via);
      if (station !== undefined) return across(station, frame);
      const { node } = plannedHost(host.plan.name);
      assert(
        node !== undefined && via.port !== undefined,
        `nothing is at the other end of ${via.name} of ${host.plan.name}`,
      );
      return [
        { delayUs: latencyUs.port, arrival: { kind: 'to-switch', node, port: via.port, frame } },
      ];
    },
    fromSwitch(node, port, frame) {
      const end = atPort.get(`${node} ${port}`);
      if (end === undefined) return [];
      return 'mac' in end
        ? across(end, frame)
        : [{ delayUs: latencyUs.port, arrival: arrivalAt(end, frame) }];
    },
  };
}
