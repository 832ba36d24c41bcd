// Goal: L0 knows the way of a packet through both nodes, who is seen as its sender, and how many
// routers there are, from mode, systems and networks alone. Method: a Windows and a Linux node in
// each mode, each kind of end, as lines that read like the Windows design's walkthroughs.
import t from 'tap';
import type { RouterOnPath } from '../../domain/promises.js';
import { mixedCluster } from '../../../topologies/antrea/mixed-cluster.js';
import type { AntreaTopology, TrafficMode } from '../../../topologies/antrea/antrea-topology.js';
import { antreaIntent } from './antrea-intent.js';
import { senderNamed } from '../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';
import { sourcesAtEndpoint } from './sources-at-endpoint.js';
import { nodePathBetween, pathBetween, routersBetween, sourceSeen } from './path.js';

const cluster = (mode: TrafficMode) =>
  mixedCluster({ nodes: 'WLWL', podsPerNode: 1, mode, tunnel: 'geneve' });
const split = (topology: AntreaTopology): AntreaTopology => ({
  ...topology,
  nodes: topology.nodes.map((node, index) => ({
    ...node,
    underlay: {
      ip: `172.${30 + (index >> 1)}.0.${index + 1}`,
      prefixLength: 16,
      mac: node.underlay.mac,
    },
  })),
});

function pathOf(topology: AntreaTopology, from: string, to: string): readonly string[] | undefined {
  const [one, other]: readonly [ClusterHost, ClusterHost] = [
    senderNamed(topology, from),
    senderNamed(topology, to),
  ];
  const path = pathBetween(topology, one, other);
  const lines = path?.map(
    ({ node, crossings }) =>
      `${node}: ` +
      (crossings
        .map(({ direction, port, src, dst }) => `${direction} ${port} ${src}>${dst}`)
        .join(', ') || 'nothing'),
  );
  return lines === undefined
    ? undefined
    : [
        `from ${sourceSeen(topology, one, other)}, ` +
          routersInWords(routersBetween(topology, one, other)),
        ...lines,
      ];
}

function routersInWords(routers: readonly RouterOnPath[]): string {
  const reporting = routers.filter((router) => router === 'reports an expired TTL').length;
  return `${routers.length} routers${reporting === 0 ? '' : `, ${reporting} of which report`}`;
}

void t.test('in tunnels, whatever the systems', async (t) => {
  const topology = cluster('encap');
  t.same(pathOf(topology, 'p1', 'p3'), [
    'from 10.10.1.2, 2 routers',
    'n1: out Ethernet0 172.30.0.1>172.30.0.3, in Ethernet0 172.30.0.3>172.30.0.1',
    'n3: in Ethernet0 172.30.0.1>172.30.0.3, out Ethernet0 172.30.0.3>172.30.0.1',
  ]);
  t.same(pathOf(topology, 'n1', 'p2'), [
    'from 10.10.1.1, 2 routers',
    'n1: in antrea-gw0 10.10.1.1>10.10.2.2, out Ethernet0 172.30.0.1>172.30.0.2, in Ethernet0 ' +
      '172.30.0.2>172.30.0.1, out antrea-gw0 10.10.2.2>10.10.1.1',
    'n2: in uplink 172.30.0.1>172.30.0.2, out uplink 172.30.0.2>172.30.0.1',
  ]);
  t.same(pathOf(topology, 'p1', 'n2')?.[0], 'from 10.10.1.2, 1 routers');
});

void t.test(
  "without tunnels: a Windows node is entered once, a Linux node's stack routes",
  async (t) => {
    const topology = cluster('noEncap');
    t.same(pathOf(topology, 'p1', 'p3'), [
      'from 10.10.1.2, 1 routers',
      'n1: out Ethernet0 10.10.1.2>10.10.3.2, in Ethernet0 10.10.3.2>10.10.1.2',
      'n3: in Ethernet0 10.10.1.2>10.10.3.2, out Ethernet0 10.10.3.2>10.10.1.2',
    ]);
    t.same(pathOf(topology, 'p2', 'p1'), [
      'from 10.10.2.2, 2 routers, 1 of which report',
      'n2: out antrea-gw0 10.10.2.2>10.10.1.2, in br-phys 10.10.2.2>10.10.1.2, out uplink ' +
        '10.10.2.2>10.10.1.2, in uplink 10.10.1.2>10.10.2.2, out br-phys 10.10.1.2>10.10.2.2, ' +
        'in antrea-gw0 10.10.1.2>10.10.2.2',
      'n1: in Ethernet0 10.10.2.2>10.10.1.2, out Ethernet0 10.10.1.2>10.10.2.2',
    ]);
    t.same(pathOf(topology, 'n1', 'p3'), [
      'from 172.30.0.1, 1 routers',
      'n1: in br-int 172.30.0.1>10.10.3.2, out Ethernet0 172.30.0.1>10.10.3.2, in Ethernet0 ' +
        '10.10.3.2>172.30.0.1, out br-int 10.10.3.2>172.30.0.1',
      'n3: in Ethernet0 172.30.0.1>10.10.3.2, out Ethernet0 10.10.3.2>172.30.0.1',
    ]);
    t.same(
      pathOf(topology, 'p1', 'n3'),
      [
        'from 10.10.1.2, 0 routers',
        'n1: out Ethernet0 10.10.1.2>10.10.3.1, in Ethernet0 10.10.3.1>10.10.1.2',
        'n3: in Ethernet0 10.10.1.2>10.10.3.1, out antrea-gw0 10.10.1.2>10.10.3.1, in br-int ' +
          '10.10.3.1>10.10.1.2, out Ethernet0 10.10.3.1>10.10.1.2',
      ],
      'what comes for the gateway goes through the pipeline, its answer past it',
    );
    t.same(
      pathOf(topology, 'p1', 'n2')?.[2],
      'n2: in uplink 10.10.1.2>10.10.2.1, out br-phys 10.10.1.2>10.10.2.1, in br-phys ' +
        '10.10.2.1>10.10.1.2, out uplink 10.10.2.1>10.10.1.2',
    );
  },
);

void t.test(
  'within a node nothing leaves it, and nothing is said of nodes and their own pods',
  async (t) => {
    const topology = mixedCluster({
      nodes: 'W',
      podsPerNode: 2,
      mode: 'noEncap',
      tunnel: 'geneve',
    });
    t.same(pathOf(topology, 'p1', 'p2'), ['from 10.10.1.2, 0 routers', 'n1: nothing']);
    t.equal(pathOf(topology, 'p1', 'n1'), undefined);
  },
);

void t.test('networks apart: hybrid has tunnels between them, noEncap a router', async (t) => {
  const passages = (mode: TrafficMode) => {
    const topology = split(cluster(mode));
    const [first, second, third] = topology.nodes;
    return first === undefined || second === undefined || third === undefined
      ? []
      : [nodePathBetween(topology, first, second), nodePathBetween(topology, first, third)];
  };
  t.same(
    [passages('encap'), passages('hybrid'), passages('noEncap')],
    [
      ['tunnel', 'tunnel'],
      ['direct', 'tunnel'],
      ['direct', 'routed'],
    ],
  );
  t.equal(pathOf(split(cluster('noEncap')), 'p1', 'p3'), undefined);
});

void t.test(
  "pods that leave the cluster: by the gateway, the host's NetNat, LOCAL and the uplink, and back",
  async (t) => {
    const topology = mixedCluster({
      nodes: 'WL',
      podsPerNode: 1,
      mode: 'encap',
      tunnel: 'geneve',
      externalHosts: 1,
    });
    const promised = (from: string, to: string) =>
      antreaIntent(topology, { kind: 'ping', from, to });
    t.same(promised('p1', '172.30.255.1'), {
      kind: 'round-trip',
      to: 'x1',
      source: '172.30.0.1',
      path: [
        {
          node: 'n1',
          ports: ['antrea-gw0', 'br-int', 'Ethernet0'],
          crossings: [
            { direction: 'out', port: 'antrea-gw0', src: '10.10.1.2', dst: '172.30.255.1' },
            {
              direction: 'in',
              port: 'br-int',
              src: '172.30.0.1',
              dst: '172.30.255.1',
              srcPorts: { first: 49_152, last: 65_535 },
            },
            { direction: 'out', port: 'Ethernet0', src: '172.30.0.1', dst: '172.30.255.1' },
            { direction: 'in', port: 'Ethernet0', src: '172.30.255.1', dst: '172.30.0.1' },
            { direction: 'out', port: 'br-int', src: '172.30.255.1', dst: '172.30.0.1' },
            { direction: 'in', port: 'antrea-gw0', src: '172.30.255.1', dst: '10.10.1.2' },
          ],
        },
      ],
    });
    t.match(promised('p2', '172.30.0.1'), {
      kind: 'round-trip',
      to: 'n1',
      source: '172.30.0.2',
      path: [{ ports: ['antrea-gw0', 'br-phys', 'uplink'] }],
    });
    t.match(antreaIntent(topology, { kind: 'ping', from: 'p1', to: '172.30.255.1', ttl: 1 }), {
      kind: 'denied',
      why: /n1, which routes it/,
    });
    t.match(antreaIntent(topology, { kind: 'udp', from: 'p1', to: '172.30.255.1', port: 9 }), {
      kind: 'delivered',
      source: '172.30.0.1',
    });
    t.match(
      antreaIntent(topology, {
        kind: 'calls',
        protocol: 'UDP',
        from: 'p1',
        to: '172.30.255.1',
        port: 7,
        count: 2,
        everyMs: 121_000,
      }),
      { kind: 'balanced', answerers: [{ to: 'x1', sources: ['172.30.0.1'] }], spread: 'any' },
    );
    t.throws(
      () =>
        antreaIntent(topology, {
          kind: 'calls',
          protocol: 'UDP',
          from: 'p1',
          to: '172.30.255.1',
          port: 9,
          count: 2,
          everyMs: 10,
        }),
      { name: 'Unsupported' },
    );
    t.match(antreaIntent(topology, { kind: 'probe', from: 'p1', to: '172.30.255.1', port: 9 }), {
      kind: 'refused',
      source: '172.30.0.1',
    });
  },
);

void t.test('a node that asks for a Service is seen by the interface it sends from', (t) => {
  const onLinux = ({ nodes, ...topology }: AntreaTopology): AntreaTopology => ({
    ...topology,
    nodes: nodes.map((node) => ({ ...node, os: 'linux' })),
  });
  const seen = (topology: AntreaTopology, ip: string) =>
    sourcesAtEndpoint(topology, senderNamed(topology, 'n1'), ip);
  t.same(seen(cluster('encap'), '10.10.1.2'), ['10.10.1.1'], 'a pod of its own');
  t.same(seen(cluster('encap'), '10.10.2.2'), ['10.10.1.1'], 'behind a tunnel');
  t.same(seen(onLinux(cluster('noEncap')), '10.10.2.2'), ['172.30.0.1'], 'by a route');
  t.same(
    seen(onLinux(split(cluster('hybrid'))), '10.10.2.2'),
    ['172.30.0.1'],
    'on the same network',
  );
  t.same(seen(onLinux(split(cluster('hybrid'))), '10.10.3.2'), ['10.10.1.1'], 'on another network');
  t.same(seen(cluster('noEncap'), '10.10.2.2'), ['10.10.1.1'], 'of Windows, by the switch');
  t.same(seen(cluster('noEncap'), '172.30.255.1'), ['172.30.0.1'], 'outside');
  t.end();
});
