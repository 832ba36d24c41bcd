/**
 * Paths on which each kind of work can be seen by itself: what a unit of it needs on this machine
 * is fitted to them. Bridges of a few flows; the first path is the baseline.
 */
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import { mac, podAt, portsOfMasks, singles, through } from './reference-bridges.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { NatPlan } from '../domain/plan/nat-plan.js';
import type { ProxyPlan } from '../domain/plan/proxy-plan.js';
import { routedAcross, routedPodIp } from './routed-across.js';

/** What pods' interfaces carry: there is room for the headers of a tunnel. */
export const segmentMtu = 1450;

/** Traffic of one host to another, in a plan. */
export interface TrafficPath {
  readonly name: string;
  readonly client: string;
  readonly server: string;
  /** What the client asks; the server's address, or one that leads to it. */
  readonly ip: string;
  /** The port that it asks, where it is not the one that the server listens at. */
  readonly port?: number;
  /** Connections are copied by a proxy in this node. */
  readonly proxy?: string;
  /** The client sends a datagram from each of these before, for what a switch caches of them. */
  readonly portsBefore?: readonly number[];
}

type SingleName = keyof typeof singles;
const singleNames = Object.keys(singles) as SingleName[];

function singleBridge(name: SingleName, at: number): BridgePlan {
  return {
    name: `br-${at}`,
    mac: mac(3, at),
    ports: [
      { kind: 'endpoint', name: `c${at}`, ofport: 1 },
      { kind: 'endpoint', name: `s${at}`, ofport: 2 },
    ],
    flows: [...singles[name](1, 2), ...singles[name](2, 1)],
  };
}

function singleHosts(at: number): readonly HostPlan[] {
  const [client, server] = [
    { ip: `192.168.${at}.1`, mac: mac(1, 11) },
    { ip: `192.168.${at}.2`, mac: mac(1, 12) },
  ];
  return [
    podAt(`c${at}`, `c${at}`, client.ip, client.mac, server),
    podAt(`s${at}`, `s${at}`, server.ip, server.mac, client),
  ];
}

/** Addresses of hosts that reach each other across the network between nodes. */
const endAcross = (path: 'wire' | 'tunnel', number: number) => ({
  ip: `192.168.${path === 'wire' ? 100 : 101}.${number}`,
  mac: mac(number, path === 'wire' ? 21 : 22),
});

/** One end of a path across that network, with switches of its own. */
function acrossNode(path: 'wire' | 'tunnel', number: number, other: number): NodePlan {
  const own = endAcross(path, number);
  return {
    node: `${path}-${number}`,
    bridges: path === 'wire' ? [wireBridge(number)] : tunnelBridges(number, other),
    hosts: [podAt(`${path}${number}`, path, own.ip, own.mac, endAcross(path, other))],
  };
}

/** A host at that network itself. */
function outsideHost(number: number, peer: number): HostPlan {
  const { ip, mac: own } = endAcross('wire', number);
  return {
    ...podAt('outside', '', ip, own, endAcross('wire', peer)),
    kind: 'external',
    interfaces: [{ name: 'eth0', mac: own, ip, prefixLength: 24 }],
  };
}

function wireBridge(number: number): BridgePlan {
  return {
    name: 'br-wire',
    mac: mac(number, 40),
    ports: [
      { kind: 'uplink', name: 'up-wire', ofport: 1, mac: mac(number, 21) },
      { kind: 'endpoint', name: 'wire', ofport: 2 },
    ],
    flows: [through(1, 2), through(2, 1)],
  };
}

function tunnelBridges(number: number, other: number): readonly BridgePlan[] {
  const underlay = (node: number) => ({ ip: `172.31.0.${node}`, mac: mac(node, 20) });
  return [
    {
      name: 'br-up',
      mac: underlay(number).mac,
      underlay: { ip: underlay(number).ip, prefixLength: 16, neighbours: [underlay(other)] },
      ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: underlay(number).mac }],
      flows: ['in_port=1 actions=LOCAL', 'in_port=LOCAL actions=output:1'],
    },
    {
      name: 'br-tun',
      mac: mac(number, 30),
      ports: [
        {
          kind: 'tunnel',
          name: 'tun0',
          ofport: 1,
          tunnel: 'geneve',
          options: { remote_ip: underlay(other).ip, key: '7' },
        },
        { kind: 'endpoint', name: 'tunnel', ofport: 2 },
      ],
      flows: [through(1, 2), through(2, 1)],
    },
  ];
}

/**
 * Through the network stack of a node between two networks of its own. It tracks connections as
 * every node with rules of NAT does (`natRules`), also where none of them matches.
 */
function routingNode(
  node: string,
  [near, far]: readonly [string, string],
  network: number,
  sources: NatPlan['sources'],
): NodePlan {
  const networks = [`192.168.${network}`, `192.168.${network + 1}`] as const;
  const ends = ([near, far] as const).map((name, at) => ({
    name,
    ip: `${networks[at]}.2`,
    mac: mac(1, network - 79 + at),
    gateway: { ip: `${networks[at]}.1`, mac: mac(3, network - 60 + at), port: `gw-${name}` },
  }));
  return {
    node,
    bridges: [
      {
        name: 'br-r',
        mac: mac(3, 99),
        ports: ends.flatMap(({ name, gateway }, at) => [
          { kind: 'endpoint' as const, name, ofport: 2 * at + 1 },
          { kind: 'internal' as const, name: gateway.port, ofport: 2 * at + 2, mac: gateway.mac },
        ]),
        flows: [through(1, 2), through(2, 1), through(3, 4), through(4, 3)],
      },
    ],
    hosts: [
      ...ends.map(({ name, ip, mac: own, gateway }) => podAt(name, name, ip, own, gateway)),
      {
        name: node,
        kind: 'linux-node',
        interfaces: ends.map(({ gateway: { port, mac: own, ip } }) => ({
          ...{ name: port, port, mac: own, ip, prefixLength: 24 },
        })),
        routes: [],
        forwarding: { destinations: [], sources },
      },
    ],
  };
}

const proxyPort = 30_007;
const routed = routingNode('r1', ['near', 'far'], 110, []);

const relayed = withProxy(routingNode('p1', ['asks', 'answers'], 114, []), {
  at: { ip: '192.168.114.1', protocol: 'TCP', port: proxyPort },
  to: [{ ip: '192.168.115.2', port: 7 }],
  dialMs: [1000],
  udpIdleMs: 1000,
});

function withProxy(node: NodePlan, proxy: ProxyPlan): NodePlan {
  const hosts = node.hosts.map((one) =>
    one.name === node.node ? { ...one, proxies: [proxy] } : one,
  );
  return { ...node, hosts };
}

const masqueraded = routingNode('m1', ['inside', 'beyond'], 112, [
  { from: ['192.168.112.0/24'], except: [] },
]);

/**
 * Each path has switches of its own: a pass of a switch's main loop asks all of its ports, idle
 * ones too, and takes longer the more there are.
 */
export const referencePlan: ClusterPlan = {
  nodes: [
    ...singleNames.map((name, at) => ({
      node: name,
      bridges: [singleBridge(name, at)],
      hosts: singleHosts(at),
    })),
    ...[acrossNode('wire', 1, 2), acrossNode('wire', 2, 1), acrossNode('wire', 3, 4)],
    ...[acrossNode('tunnel', 1, 2), acrossNode('tunnel', 2, 1)],
    routed,
    relayed,
    masqueraded,
    ...routedAcross,
  ],
  externalHosts: [outsideHost(4, 3)],
};

export const referencePaths: readonly [TrafficPath, ...TrafficPath[]] = [
  { name: 'plain', client: 'c0', server: 's0', ip: '192.168.0.2' },
  ...singleNames
    .map((name, at) => ({
      name: name,
      client: `c${at}`,
      server: `s${at}`,
      ip: `192.168.${at}.2`,
      ...(name === 'many-masks' ? { portsBefore: portsOfMasks } : {}),
    }))
    .slice(1),
  { name: 'wire', client: 'wire1', server: 'wire2', ip: '192.168.100.2' },
  { name: 'tunnel', client: 'tunnel1', server: 'tunnel2', ip: '192.168.101.2' },
  { name: 'outside', client: 'wire3', server: 'outside', ip: '192.168.100.4' },
  { name: 'routed', client: 'near', server: 'far', ip: '192.168.111.2' },
  {
    name: 'relayed',
    client: 'asks',
    server: 'answers',
    ip: '192.168.114.1',
    port: proxyPort,
    proxy: 'p1',
  },
  { name: 'masqueraded', client: 'inside', server: 'beyond', ip: '192.168.113.2' },
  { name: 'routed-across', client: 'routed-1', server: 'routed-2', ip: routedPodIp(2) },
];
