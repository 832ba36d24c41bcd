// Goal: builders and YAML give topologies that can exist, and anything else is refused at its place
// in the file. Method: builder and YAML against each other; then one mistake at a time put into the
// YAML, the whole error compared.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { z } from 'zod';
import { topologyProblems } from '../harness/domain/topology-check.js';
import type { Node, Topology } from '../harness/domain/topology.js';
import { antreaCluster } from './antrea/antrea-cluster.js';
import { antreaJsonSchema, readAntreaTopology } from './antrea/yaml.js';

const example = readFileSync('topologies/antrea/two-nodes.yaml', 'utf8');
const built = antreaCluster({ nodes: 2, podsPerNode: 3, tunnel: 'geneve' });

void t.test('two-nodes.yaml is what the builder builds', async (t) => {
  t.same(readAntreaTopology(example, 'two-nodes.yaml'), built);
});

void t.test('topology.schema.json, for editors', async (t) => {
  t.equal(
    readFileSync('topologies/antrea/topology.schema.json', 'utf8'),
    antreaJsonSchema(),
    'if the schema was meant to change: npm run schema',
  );
  const editor = z.fromJSONSchema(JSON.parse(antreaJsonSchema()) as z.core.JSONSchema.JSONSchema);
  const accepts = (text: string) => editor.safeParse(parse(text)).success;
  t.ok(accepts(example), 'it takes the example');
  t.ok(accepts('name: x\nnodes: [{ name: n1 }]'), 'names are enough');
  for (const [replace, by] of [
    ['tunnel: geneve', 'tunel: geneve'],
    ['tunnel: geneve', 'tunnel: ipip'],
    ['{ name: p2, ip', '{ name: p2, up'],
    ['- p3', '- 3'],
    ['- p3', '- P3'],
    ['prefixLength: 16', 'prefixLength: 77'],
    ['0a:00:0a:0a:01:02', '0b:00:0a:0a:01:02'],
  ] as const) {
    t.notOk(accepts(example.replace(replace, by)), `it refuses ${by}`);
  }
  t.match(example, /^# yaml-language-server: \$schema=topology\.schema\.json\n/);
});

void t.test('networks of nodes with a router between', async (t) => {
  const apart = example.replace('- name: n2', '- name: n2\n    underlay: { ip: 172.31.0.2 }');
  const router = (second: string) =>
    `${apart}routers: [{ name: r1, interfaces: [{ ip: 172.30.255.254, prefixLength: 16, mac: ` +
    `'0a:00:ac:1e:ff:fe' }, { ip: ${second}, prefixLength: 16, mac: '0a:00:ac:1f:ff:fe' }] }]`;
  t.match(readAntreaTopology(router('172.31.255.254'), 'f').routers, [
    { name: 'r1', interfaces: [{ ip: '172.30.255.254' }, { ip: '172.31.255.254' }] },
  ]);
  t.throws(() => readAntreaTopology(apart, 'f'), {
    message:
      /172\.31\.0\.2\/16 is not on the network 172\.30\.0\.0\/16 of n1; all nodes share one, or a router has an address on both/,
  });
  t.throws(() => readAntreaTopology(router('172.32.255.254'), 'f'), {
    message: /172\.31\.0\.2\/16 is not on the network/,
  });
  t.throws(() => readAntreaTopology(router('172.30.0.1'), 'f'), {
    message: /172\.30\.0\.1 is already taken by nodes\[0\]\.underlay\.ip/,
  });
});

void t.test('external hosts', async (t) => {
  t.same(
    readAntreaTopology(`${example}externalHosts: [x1, { name: x2, ip: 172.30.255.2 }]`, 'f'),
    antreaCluster({ nodes: 2, podsPerNode: 3, tunnel: 'geneve', externalHosts: 2 }),
  );
  t.same(
    topologyProblems(
      antreaCluster({ nodes: 3, podsPerNode: 1, tunnel: 'geneve', externalHosts: 254 }),
    ),
    [],
  );
});

void t.test('every size that the builder takes can exist', async (t) => {
  for (const [nodes, podsPerNode] of [
    [1, 0],
    [2, 3],
    [60, 4],
    [300, 1],
    [2, 253],
  ] as const) {
    t.same(
      topologyProblems(antreaCluster({ nodes, podsPerNode, tunnel: 'vxlan' })),
      [],
      `${nodes} nodes of ${podsPerNode} pods`,
    );
  }
  t.throws(() => antreaCluster({ nodes: 0, podsPerNode: 3, tunnel: 'geneve' }), /1 to 5000 nodes/);
});

void t.test(
  'mistakes in YAML: file, line, column, the value and what would be right',
  async (t) => {
    const mistakes: readonly (readonly [
      replace: string | RegExp,
      by: string,
      error: string | RegExp,
    ])[] = [
      [
        'pods: [p4',
        'pods: [p4, ]]',
        /^f:20:17: Unexpected flow-seq-end token in YAML stream: "\]"/,
      ],
      [
        'tunnel: geneve\n',
        'tunnel: ipip\n',
        'f:6:9: expected geneve or vxlan or gre or stt, got "ipip"',
      ],
      [
        'tunnel: geneve\n',
        'tunel: geneve\n',
        'f:6:1: unknown key "tunel". Did you mean "tunnel"? Known: name, mode, tunnel, ' +
          'serviceCidr, nodes, externalHosts, routers.',
      ],
      [
        'gateway: {',
        'gatway: {',
        'f:13:5: unknown key "gatway". Did you mean "gateway"? Known: name, os, underlay, ' +
          'adapters, podCidr, gateway, link, pods.',
      ],
      [
        '{ name: p2, ip',
        '{ name: p2, up',
        'f:16:21: unknown key "up". Did you mean "ip"? Known: name, ip, mac.',
      ],
      [
        '10.10.1.0/24',
        '10.10.1.0/33',
        'f:12:14: expected a block of addresses such as 10.10.0.0/24, got "10.10.1.0/33"',
      ],
      [
        '10.10.1.0/24',
        '10.10.1.7/24',
        'f:12:14: "10.10.1.7/24" is not the first address of its block: write 10.10.1.0/24',
      ],
      [
        'podCidr: 10.10.1.0/24',
        'podCidr: 10.10.3.0/24',
        /^f:13:20: 10\.10\.1\.1 is no address for a host in 10\.10\.3\.0\/24/,
      ],
      [
        'ip: 10.10.1.3',
        'ip: 10.10.9.3',
        'f:16:25: 10.10.9.3 is no address for a host in 10.10.1.0/24 of n1: these go from ' +
          '10.10.1.1 to 10.10.1.254',
      ],
      ['ip: 10.10.1.3', 'ip: 10.10.1.255', /^f:16:25: 10\.10\.1\.255 is no address for a host/],
      [
        'ip: 10.10.1.3',
        'ip: 10.10.1.2',
        'f:16:25: 10.10.1.2 is already taken by nodes[0].pods[0].ip; it must be unique in the ' +
          'cluster',
      ],
      [
        '- p3',
        '- p2',
        'f:17:9: p2 is already taken by nodes[0].pods[1].name; it must be unique in the cluster',
      ],
      [
        '- p3',
        '- n1',
        'f:17:9: n1 is already taken by nodes[0].name; it must be unique in the cluster',
      ],
      ['- p3', '- 3', 'f:17:9: expected keys and values, got 3'],
      ['- p3', '- P3', /^f:17:9: "P3" is no Kubernetes name/],
      ['0a:00:0a:0a:01:02', '0b:00:0a:0a:01:02', /^f:15:41: 0b:00:0a:0a:01:02 is a group address/],
      [
        '0a:00:0a:0a:01:02',
        '0A:00:0a:0a:01:02',
        /^f:15:41: write the MAC address .* in lower case/,
      ],
      ['prefixLength: 16', 'prefixLength: big', 'f:11:47: expected a number, got "big"'],
      [
        'prefixLength: 16',
        'prefixLength: 77',
        'f:11:47: expected a prefix length from 1 to 30, got 77',
      ],
      [
        'prefixLength: 16',
        'prefixLength: 24',
        /^f:19:5: 172\.30\.0\.2\/16 is not on the network 172\.30\.0\.0\/24 of n1/,
      ],
      [
        'serviceCidr: 10.96.0.0/12',
        'serviceCidr: 10.0.0.0/8',
        /^f:12:14: 10\.10\.1\.0\/24 overlaps 10\.0\.0\.0\/8 of serviceCidr\nf:19:5: 10\.10\.2\.0\/24 overlaps/,
      ],
      ['  - name: n2\n    pods', '  - pods', 'f:19:5: "name" is missing: expected a text'],
      [
        /$/,
        '\nexternalHosts: [x1, { name: p1 }]',
        'f:22:29: p1 is already taken by nodes[0].pods[0].name; it must be unique in the cluster',
      ],
      [
        /$/,
        '\nexternalHosts: [{ name: x1, ip: 198.51.100.1 }]',
        'f:22:33: 198.51.100.1 is not on the network 172.30.0.0/16 of n1, which external ' +
          'hosts share with the nodes',
      ],
      [
        /$/,
        '\nexternalHosts: [{ name: x1, ip: 172.30.0.2 }]',
        /^f:22:33: 172\.30\.0\.2 is already taken by nodes\[1\]\.underlay\.ip/,
      ],
      [/\nnodes:[^]*/, '\nnodes: []', 'f:9:8: a cluster needs at least one node'],
      [/[^]*/, '', 'f:1:1: expected keys and values, got null'],
    ];
    for (const [replace, by, error] of mistakes) {
      const text = example.replace(replace, by);
      t.not(text, example, `${by} is a change`);
      t.throws(() => readAntreaTopology(text, 'f'), { name: 'InputError', message: error }, by);
    }
  },
);

void t.test('problems are found at any node and pod', async (t) => {
  const change = (index: number, by: (node: Node) => Partial<Node>): Topology => ({
    ...built,
    nodes: built.nodes.map((node, n) => (n === index ? { ...node, ...by(node) } : node)),
  });
  const found = (topology: Topology) =>
    topologyProblems(topology).map(({ path }) => path.join('.'));
  t.same(found(built), []);
  t.same(
    found(
      change(1, ({ pods }) => ({
        pods: pods.map((pod) => ({ ...pod, mac: '0a:00:0a:0a:02:01' })),
      })),
    ),
    ['nodes.1.pods.0.mac', 'nodes.1.pods.1.mac', 'nodes.1.pods.2.mac'],
  );
  t.same(found(change(1, () => ({ podCidr: '10.10.0.0/16' }))), ['nodes.1.podCidr']);
  t.same(found(change(1, () => ({ gateway: { ip: '10.10.2.0', mac: '0a:00:00:00:00:09' } }))), [
    'nodes.1.gateway.ip',
  ]);
  t.same(found(change(1, ({ underlay }) => ({ underlay: { ...underlay, ip: '172.31.0.2' } }))), [
    'nodes.1.underlay.ip',
  ]);
  const balanced = (...nodes: readonly string[]): Topology => ({
    ...built,
    externalHosts: nodes.map((balancedTo, n) => ({
      name: `x${n}`,
      ip: `172.30.255.${n + 1}`,
      mac: `0a:00:00:00:00:f${n}`,
      balancedTo,
    })),
  });
  t.same(found(balanced('n2', 'n9', 'n1')), ['externalHosts.1.balancedTo']);
});
