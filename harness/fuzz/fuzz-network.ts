/** What cases play on: a node with two bridges, and another behind the network to tunnel to. */
import { assert } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { TunnelOptions, PortPlan, TunnelType } from '../domain/plan/port-plan.js';
import type { SwitchCall, SwitchStep } from '../domain/switching.js';
import type { Testbed } from '../testbeds/testbed.js';

export const node = 'switch';
export const bridge = 'br0';
export const bridgeBeyond = 'br1';

/** The other node, its bridge, and on each node the bridge that tunnels leave by. */
export const peer = 'peer';
export const bridgeAfar = 'br3';
export const underlays = ['br2', 'br4'] as const;

export const bridges = [bridge, bridgeBeyond, bridgeAfar, ...underlays] as const;

/**
 * OpenFlow numbers of the bridge's ports, beside LOCAL; a port is called by its number. The last
 * leads to the other bridge.
 */
export const portNumbers: readonly number[] = [1, 2, 3, 4, 5];
export const patchPort = 5;

/** The bridge behind it has a patch port, which is its first, and two that frames come out of. */
const portsBeyond = ['11', '12', '13'] as const;

/** Those of the other node's bridge. */
export const portsAfar: readonly string[] = ['31', '32'];
export const uplinks = ['21', '41'] as const;

/** Tunnels between the two, with the same OpenFlow numbers on both sides. */
export const tunnels: readonly {
  readonly number: number;
  readonly type: TunnelType;
  readonly near: TunnelOptions;
  readonly far: TunnelOptions;
}[] = [
  {
    number: 6,
    type: 'geneve',
    near: { remote_ip: 'flow', key: 'flow' },
    far: { remote_ip: 'flow', key: 'flow', csum: 'true' },
  },
  {
    number: 7,
    type: 'vxlan',
    near: { remote_ip: '172.30.0.2', key: '5', tos: 'inherit', ttl: 'inherit' },
    far: { remote_ip: '172.30.0.1', key: '5', tos: '0x20', csum: 'true' },
  },
  {
    number: 8,
    type: 'gre',
    near: { remote_ip: 'fd00:30::2', key: 'flow', csum: 'true' },
    far: { remote_ip: 'fd00:30::1', key: 'flow' },
  },
];

/** Every port that frames come out of, of the node that is always there and of the other. */
const nearPorts: readonly string[] = [
  bridge,
  ...portNumbers.filter((port) => port !== patchPort).map(String),
  bridgeBeyond,
  ...portsBeyond.slice(1),
];
const peerPorts: readonly string[] = [bridgeAfar, ...portsAfar, underlays[1], uplinks[1]];
export const wiredPorts: Readonly<Record<Network, readonly string[]>> = {
  'one node': nearPorts,
  'two nodes': [...nearPorts, underlays[0], uplinks[0], ...peerPorts],
};

/** The node that has a port or a bridge of this name. */
export function nodeOf(name: string): string {
  return peerPorts.includes(name) ? peer : node;
}

/** Connection ids of the controllers that listen. */
export const controllerIds: readonly number[] = [0, 7];

/**
 * What each bridge has whatever the case: meters that drop soon, late, and by bytes, and two
 * options of Geneve.
 */
export const meters: readonly string[] = [
  'meter=1,pktps,bands=type=drop,rate=3',
  'meter=2,kbps,burst,bands=type=drop,rate=1,burst_size=3',
];
export const meterIds: readonly number[] = [1, 2];
export const tunnelOptions: readonly string[] = [
  '{class=0x102,type=0x80,len=4}->tun_metadata0',
  '{class=0xffff,type=1,len=8}->tun_metadata1',
];

/** What the bridges hold. */
export interface Programs {
  /** As ovs-ofctl(8) reads them, one each; a group stands behind those that its buckets name. */
  readonly groups: readonly string[];
  readonly flows: readonly string[];
  /** Flows of the bridge behind the patch port. */
  readonly beyond: readonly string[];
  /**
   * Flows of the other node's bridge; and those of the bridges that tunnels leave by, the same on
   * both nodes, without which there is one node alone.
   */
  readonly afar?: readonly string[];
  readonly underlay?: readonly string[];
}

export type Network = 'one node' | 'two nodes';

export function networkOf({ underlay }: Pick<Programs, 'underlay'>): Network {
  return underlay === undefined ? 'one node' : 'two nodes';
}

/** What each bridge holds, by its name. */
export function programsOf({ groups, flows, beyond, afar = [], underlay }: Programs): readonly {
  readonly at: string;
  readonly groups: readonly string[];
  readonly flows: readonly string[];
}[] {
  const near = [
    { at: bridge, groups, flows },
    { at: bridgeBeyond, groups: [], flows: beyond },
  ];
  return underlay === undefined
    ? near
    : [
        ...near,
        { at: bridgeAfar, groups: [], flows: afar },
        ...underlays.map((at) => ({ at, groups: [], flows: underlay })),
      ];
}

/** All flows and groups. */
export function textsOf(programs: Programs): readonly string[] {
  return programsOf(programs).flatMap(({ groups, flows }) => [...groups, ...flows]);
}

const common = {
  meters,
  tunnelOptions,
  controllers: controllerIds.map((id) => ({ id, paused: 'resumed' as const })),
};
const macs = {
  [bridge]: '02:00:00:00:00:01',
  [bridgeBeyond]: '02:00:00:00:00:02',
  [underlays[0]]: '02:00:00:00:00:03',
  [bridgeAfar]: '02:00:00:00:00:04',
  [underlays[1]]: '02:00:00:00:00:05',
} as const;
const endpoint = (name: string, ofport: number): PortPlan => ({ kind: 'endpoint', name, ofport });
const patch = (name: string, ofport: number, to: string, port: string): PortPlan => ({
  kind: 'patch',
  name,
  ofport,
  peer: { bridge: to, port },
});
const tunnelPorts = (side: 'near' | 'far'): readonly PortPlan[] =>
  tunnels.map((tunnel) => ({
    kind: 'tunnel',
    name: `${side === 'near' ? '' : '3'}${tunnel.number}`,
    ofport: tunnel.number,
    tunnel: tunnel.type,
    options: tunnel[side],
  }));

/** The nodes that a case plays on, with its own flows and groups. */
export function planOf(programs: Programs): ClusterPlan {
  const [near, beyond, far] = programsOf(programs);
  const isAlone = far === undefined;
  const [first, ...others] = portsBeyond;
  const nearBridges: readonly BridgePlan[] = [
    {
      ...common,
      name: bridge,
      mac: macs[bridge],
      flows: near?.flows ?? [],
      groups: near?.groups ?? [],
      ports: [
        ...portNumbers.map((ofport) =>
          ofport === patchPort
            ? patch(String(ofport), ofport, bridgeBeyond, first)
            : endpoint(String(ofport), ofport),
        ),
        ...(isAlone ? [] : tunnelPorts('near')),
      ],
    },
    {
      ...common,
      name: bridgeBeyond,
      mac: macs[bridgeBeyond],
      flows: beyond?.flows ?? [],
      ports: [
        patch(first, 1, bridge, String(patchPort)),
        ...others.map((name, index) => endpoint(name, index + 2)),
      ],
    },
  ];
  if (isAlone) return { nodes: [{ node, hosts: [], bridges: nearBridges }] };
  const farBridge: BridgePlan = {
    ...common,
    name: bridgeAfar,
    mac: macs[bridgeAfar],
    flows: far.flows,
    ports: [...portsAfar.map((name, index) => endpoint(name, index + 1)), ...tunnelPorts('far')],
  };
  const underlay = programs.underlay ?? [];
  return {
    nodes: [
      { node, hosts: [], bridges: [...nearBridges, underlayBridge(0, underlay)] },
      { node: peer, hosts: [], bridges: [farBridge, underlayBridge(1, underlay)] },
    ],
  };
}

function underlayBridge(index: 0 | 1, flows: readonly string[]): BridgePlan {
  const other = index === 0 ? 1 : 0;
  const [own, neighbour] = [macs[underlays[index]], macs[underlays[other]]];
  return {
    ...common,
    name: underlays[index],
    mac: own,
    flows,
    ports: [{ kind: 'uplink', name: uplinks[index], ofport: 1, mac: own }],
    underlay: {
      ip: `172.30.0.${index + 1}`,
      prefixLength: 24,
      ipv6: { ip: `fd00:30::${index + 1}`, prefixLength: 64 },
      neighbours: [
        { ip: `172.30.0.${other + 1}`, mac: neighbour },
        { ip: `fd00:30::${other + 1}`, mac: neighbour },
      ],
    },
  };
}

/** One call at a time. */
export function performedBy({
  call,
}: Pick<Testbed, 'call'>): (one: SwitchCall) => Promise<SwitchStep> {
  return async (one) => {
    const [step] = await call([one]);
    assert(step !== undefined, 'a call leads to a step');
    return step;
  };
}
