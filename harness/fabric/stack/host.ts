/**
 * A host's network stack as data and effects: a pod's or a node's own. Each entry point takes the
 * host and what happened and returns what the host does about it; the event loop carries that out.
 * Behaves as a Linux stack with default settings does.
 */
import { linkLocalOf } from '../../base/addresses/link-local.js';
import type { HostNote } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';
import type { AddressAndPort } from '../../domain/plan/nat-plan.js';
import type { Listener } from '../../domain/topology.js';
import type { Interjection, Stimulus } from '../../domain/test-vector.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import type { DhcpClient } from './dhcp-client.js';
import type { Association } from './sctp/association.js';
import { noProxyMemory, type ProxyMemory } from '../proxy/proxy-memory.js';
import type { TcpConnection } from './tcp/connection-state.js';
import { newNatState, type NatState } from '../nat/nat-state.js';

/** The echo service (RFC 862) that every host runs, by UDP and TCP. */
const echoPort = 7;

export interface Host {
  readonly plan: HostPlan;
  /** What ARP and neighbour discovery know, by IP address. */
  readonly neighbours: Map<string, Neighbour>;
  /** TCP connections by their four addresses and ports, seen from here. */
  readonly connections: Map<string, TcpConnection>;
  /** SCTP associations, by the same. */
  readonly associations: Map<string, Association>;
  /** Its client, as long as it waits for an answer. */
  readonly dhcp: { client: DhcpClient | undefined };
  /** What one end of the vector's connection does beside what TCP asks of it. */
  readonly interjection: Interjection | undefined;
  /**
   * Addresses of the host for which the device of a LOCAL port answers ARP before its stack can
   * (`deviceArpReply`).
   */
  readonly deviceAddresses: ReadonlySet<string>;
  /** Connections of others that go through here, where the host forwards. */
  readonly nat: NatState | undefined;
  /** Whom its proxies speak for. */
  readonly proxyMemory: ProxyMemory;
  /** Drawn once a vector, so that frames distinguish vectors. */
  readonly random: VectorRandomness;
  readonly clock: Clock;
  /** How many packets were for the host itself; what a router forwards or drops is not counted. */
  readonly own: { packets: number };
}

/** Virtual time since the first stimulus, the same for all hosts. */
export interface Clock {
  nowUs: number;
}

/** Numbers that the sender of a vector puts into its frames. */
export interface VectorRandomness {
  readonly identifier: number;
  readonly srcPort: number;
  readonly payload: Uint8Array;
  /** Initial sequence numbers (RFC 9293, section 3.4.1) of both ends of a connection. */
  readonly sequences: { readonly opener: number; readonly answerer: number };
}

export type Neighbour =
  | { readonly kind: 'known'; readonly mac: string }
  /** Asked for; `waiting` goes out once the answer is there. `probes` requests were sent so far. */
  | { readonly kind: 'asking'; readonly probes: number; readonly waiting: readonly Waiting[] };

/** An IP packet that waits for the MAC address of its next hop. */
export interface Waiting {
  readonly via: InterfacePlan;
  readonly packet: Uint8Array;
}

export type Effect =
  | { readonly kind: 'send'; readonly via: InterfacePlan; readonly frame: Uint8Array }
  | { readonly kind: 'wake'; readonly delayUs: number; readonly timer: Timer }
  | { readonly kind: 'note'; readonly note: WithoutPlace<HostNote> };

/** What a host is woken for, to see whether it was answered since. */
export type Timer =
  | {
      readonly kind: 'neighbour';
      readonly via: InterfacePlan;
      readonly ip: string;
      readonly probes: number;
    }
  /** The vector begins. */
  | { readonly kind: 'later'; readonly stimulus: Stimulus }
  /** The vector asks for the next of several. */
  | { readonly kind: 'call'; readonly stimulus: Calls; readonly index: number }
  | {
      readonly kind: 'sctp';
      readonly association: string;
      readonly type: number;
      readonly transmissions: number;
    }
  | { readonly kind: 'dhcp'; readonly transmissions: number }
  /** An endpoint has as long to take a proxy's connection. */
  | { readonly kind: 'dial'; readonly connection: string }
  | {
      readonly kind: 'retransmission';
      readonly connection: string;
      readonly sequence: number;
      readonly transmissions: number;
    };

/** What the protocols above IP read of its header, in either version. */
export interface IpHeader extends IpAddresses {
  /** The hop limit of IPv6. */
  readonly ttl: number;
}

export type Calls = Extract<Stimulus, { readonly kind: 'calls' }>;

/** A note before the event loop adds host and time to it. */
type WithoutPlace<Note> = Note extends unknown ? Omit<Note, 'host' | 'timeUs'> : never;

/** What a host keeps in mind from one stimulus to the next, where hosts live that long. */
export type HostMemory = Pick<
  Host,
  'neighbours' | 'connections' | 'associations' | 'nat' | 'proxyMemory'
>;

function freshMemory(): HostMemory {
  return {
    neighbours: new Map(),
    connections: new Map(),
    associations: new Map(),
    nat: undefined,
    proxyMemory: noProxyMemory(),
  };
}

export interface HostMemories {
  /** By the hosts' names, of those that took part in something. */
  readonly hosts: Map<string, HostMemory>;
  /** What the others know, from the start. */
  readonly known: Map<string, ReadonlyMap<string, string>>;
  /** Virtual time since the first stimulus. */
  readonly clock: Clock;
}

/** MAC addresses by IP address, by the name of the host that knows them. */
export type KnownNeighbours = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Of hosts that know these neighbours, and nothing else. */
export function memoriesOf(known: KnownNeighbours): HostMemories {
  return { hosts: new Map(), known: new Map(known), clock: { nowUs: 0 } };
}

/** What the host remembers; undefined where that is nothing. */
export function memoryOf({ hosts, known }: HostMemories, name: string): HostMemory | undefined {
  const remembered = hosts.get(name);
  const neighbours = known.get(name);
  if (remembered !== undefined || neighbours === undefined) return remembered;
  const memory = freshMemory();
  for (const [ip, mac] of neighbours) memory.neighbours.set(ip, { kind: 'known', mac });
  return memory;
}

export function noMemories(): HostMemories {
  return memoriesOf(new Map());
}

/** Hosts that a plan does not have take what they knew along. */
export function forgetHostsOutside({ hosts, known }: HostMemories, plan: ClusterPlan): void {
  const there = new Set(
    [...plan.nodes.flatMap((node) => node.hosts), ...(plan.externalHosts ?? [])].map(
      ({ name }) => name,
    ),
  );
  for (const memories of [hosts, known])
    for (const host of memories.keys()) if (!there.has(host)) memories.delete(host);
}

export interface HostOptions {
  readonly interjection?: Interjection | undefined;
  readonly deviceAddresses?: ReadonlySet<string>;
  /** By default a stopped one. */
  readonly clock?: Clock;
  readonly memory?: HostMemory | undefined;
}

/** Neighbours of its plan stand beside those that it remembers. */
export function createHost(
  plan: HostPlan,
  random: VectorRandomness,
  { interjection, deviceAddresses = new Set(), clock = { nowUs: 0 }, memory }: HostOptions = {},
): Host {
  const {
    neighbours,
    connections,
    associations,
    proxyMemory,
    nat: known,
  } = memory ?? freshMemory();
  for (const { ip, mac } of plan.neighbours ?? [])
    if (!neighbours.has(ip)) neighbours.set(ip, { kind: 'known', mac });
  const translations =
    plan.forwarding === undefined
      ? undefined
      : { ...(known ?? newNatState(plan.forwarding)), plan: plan.forwarding };
  return {
    plan,
    random,
    interjection,
    deviceAddresses,
    nat: translations,
    proxyMemory,
    clock,
    neighbours,
    connections,
    associations,
    dhcp: { client: undefined },
    own: { packets: 0 },
  };
}

/** What a connection is found by in `connections`. */
export function connectionKey({
  local,
  remote,
}: {
  readonly local: AddressAndPort;
  readonly remote: AddressAndPort;
}): string {
  return `${local.ip}:${local.port} ${remote.ip}:${remote.port}`;
}

/** Whether the host has an echo service on the port. */
export function listensOn({ plan }: Host, protocol: Listener['protocol'], port: number): boolean {
  return (
    (port === echoPort && protocol !== 'SCTP') ||
    (plan.listens ?? []).some(
      (listener) => listener.protocol === protocol && listener.port === port,
    )
  );
}

/** The interface that holds `ip`, if the address is the host's own. */
export function interfaceWith(host: Host, ip: string): InterfacePlan | undefined {
  return host.plan.interfaces.find(
    ({ ip: own, ipv6, mac }) =>
      own === ip || (ipv6 !== undefined && (ipv6.ip === ip || linkLocalOf(mac) === ip)),
  );
}
