/**
 * Paths on which each kind of work can be seen by itself: what a unit of it needs on this machine
 * is fitted to them. Two nodes with bridges of a few flows; the first path is the baseline.
 */
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import { mac, singles } from './reference-bridges.js';
import type { HostPlan } from '../domain/plan/host-plan.js';

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

/**
 * Neighbours are known, and everything else is on the link: what crosses the bridge is what is
 * measured, and ARP is no part of it.
 */
function host(name: string, port: string, ip: string, ownMac: string, peer: Peer): HostPlan {
  return {
    name,
    kind: 'pod',
    interfaces: [{ name: 'eth0', port, mac: ownMac, ip, prefixLength: 24 }],
    routes: [{ destination: '0.0.0.0/0', via: peer.ip, interface: 'eth0', onlink: true }],
    neighbours: [peer],
  };
}
interface Peer {
  readonly ip: string;
  readonly mac: string;
}

function singleHosts(at: number): readonly HostPlan[] {
  const [client, server] = [
    { ip: `192.168.${at}.1`, mac: mac(1, 11) },
    { ip: `192.168.${at}.2`, mac: mac(1, 12) },
  ];
  return [
    host(`c${at}`, `c${at}`, client.ip, client.mac, server),
    host(`s${at}`, `s${at}`, server.ip, server.mac, client),
  ];
}

/** Across the network between nodes, by the wire itself and by a tunnel over it. */
function acrossNode(number: 1 | 2, others: Partial<NodePlan>): NodePlan {
  const underlay = (node: number) => ({ ip: `172.31.0.${node}`, mac: mac(node, 20) });
  const other = number === 1 ? 2 : 1;
  const ends = (path: 'wire' | 'tunnel') => ({
    ip: `192.168.${path === 'wire' ? 100 : 101}.${number}`,
    mac: mac(number, path === 'wire' ? 21 : 22),
  });
  const peer = (path: 'wire' | 'tunnel') => ({
    ip: `192.168.${path === 'wire' ? 100 : 101}.${other}`,
    mac: mac(other, path === 'wire' ? 21 : 22),
  });
  return {
    node: `r${number}`,
    ...others,
    bridges: [
      ...(others.bridges ?? []),
      {
        name: 'br-up',
        mac: underlay(number).mac,
        underlay: { ip: underlay(number).ip, prefixLength: 16, neighbours: [underlay(other)] },
        ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: underlay(number).mac }],
        flows: ['in_port=1 actions=LOCAL', 'in_port=LOCAL actions=output:1'],
      },
      {
        name: 'br-wire',
        mac: mac(number, 40),
        ports: [
          { kind: 'uplink', name: 'up-wire', ofport: 1, mac: ends('wire').mac },
          { kind: 'endpoint', name: 'wire', ofport: 2 },
        ],
        flows: ['in_port=1 actions=output:2', 'in_port=2 actions=output:1'],
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
        flows: ['in_port=1 actions=output:2', 'in_port=2 actions=output:1'],
      },
    ],
    hosts: [
      ...(others.hosts ?? []),
      ...(['wire', 'tunnel'] as const).map((path) =>
        host(`${path}${number}`, path, ends(path).ip, ends(path).mac, peer(path)),
      ),
    ],
  };
}

/** Through the network stack of the first node, and by a proxy in it. */
const routed: Pick<NodePlan, 'bridges' | 'hosts'> = {
  bridges: [
    {
      name: 'br-r',
      mac: mac(3, 99),
      ports: [
        { kind: 'endpoint', name: 'near', ofport: 1 },
        { kind: 'internal', name: 'gw-near', ofport: 2, mac: mac(3, 50) },
        { kind: 'endpoint', name: 'far', ofport: 3 },
        { kind: 'internal', name: 'gw-far', ofport: 4, mac: mac(3, 51) },
      ],
      flows: [
        'in_port=1 actions=output:2',
        'in_port=2 actions=output:1',
        'in_port=3 actions=output:4',
        'in_port=4 actions=output:3',
      ],
    },
  ],
  hosts: [
    host('near', 'near', '192.168.110.2', mac(1, 31), { ip: '192.168.110.1', mac: mac(3, 50) }),
    host('far', 'far', '192.168.111.2', mac(1, 32), { ip: '192.168.111.1', mac: mac(3, 51) }),
    {
      name: 'r1',
      kind: 'linux-node',
      interfaces: [
        {
          name: 'gw-near',
          port: 'gw-near',
          mac: mac(3, 50),
          ip: '192.168.110.1',
          prefixLength: 24,
        },
        { name: 'gw-far', port: 'gw-far', mac: mac(3, 51), ip: '192.168.111.1', prefixLength: 24 },
      ],
      routes: [],
      forwarding: { destinations: [], sources: [] },
      proxies: [
        {
          at: { ip: '192.168.110.1', protocol: 'TCP', port: proxyPort() },
          to: [{ ip: '192.168.111.2', port: 7 }],
          dialMs: [1000],
          udpIdleMs: 1000,
        },
      ],
    },
  ],
};

function proxyPort(): number {
  return 30_007;
}

export const referencePlan: ClusterPlan = {
  nodes: [
    acrossNode(1, {
      bridges: [...singleNames.map(singleBridge), ...routed.bridges],
      hosts: [...singleNames.flatMap((_, at) => singleHosts(at)), ...routed.hosts],
    }),
    acrossNode(2, {}),
  ],
};

export const referencePaths: readonly [TrafficPath, ...TrafficPath[]] = [
  { name: 'plain', client: 'c0', server: 's0', ip: '192.168.0.2' },
  ...singleNames
    .map((name, at) => ({
      name: name,
      client: `c${at}`,
      server: `s${at}`,
      ip: `192.168.${at}.2`,
    }))
    .slice(1),
  { name: 'wire', client: 'wire1', server: 'wire2', ip: '192.168.100.2' },
  { name: 'tunnel', client: 'tunnel1', server: 'tunnel2', ip: '192.168.101.2' },
  { name: 'routed', client: 'near', server: 'far', ip: '192.168.111.2' },
  {
    name: 'relayed',
    client: 'near',
    server: 'far',
    ip: '192.168.110.1',
    port: proxyPort(),
    proxy: 'r1',
  },
];
