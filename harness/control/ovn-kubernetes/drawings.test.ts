// Goal: the northbound rows of a machine that has migrated are those of the seed's drawings, and
// are gone once it is back; who is migratable, and where it is, follows from labels and annotations
// alone. Method: the addresses of the drawings as a network, and the rows about the machine read
// back as the drawings have them, by hand.
import t from 'tap';
import {
  domainIsAt,
  guestMoves,
  launcherComes,
  launcherEnds,
  machineGoes,
  targetIsReady,
} from '../../../topologies/ovn-kubernetes/machine-events.js';
import { ovnKubernetesCluster } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-cluster.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import { ovnKubernetes } from './index.js';

/** node1 has 10.244.0.0/24, node2 10.244.1.0/24; the machine's address is node2's. */
const cluster = drawn();

function drawn(): OvnKubernetesTopology {
  const network = ovnKubernetesCluster({ nodes: 2, podsPerNode: 0 });
  const nodes = network.nodes.map((node, index) => ({
    ...node,
    name: `node${index + 1}`,
    podCidr: `10.244.${1 - index}.0/24`,
    gateway: { ...node.gateway, ip: `10.244.${1 - index}.1` },
  }));
  return {
    ...network,
    nodes,
    gateways: { node1: '172.30.128.1', node2: '172.30.128.2' },
    clusterCidr: '10.244.0.0/16',
    join: { first: '10.64.0.1', prefixLength: 16 },
    machines: [{ name: 'vm1', ip: '10.244.0.8', mac: '0a:58:0a:f4:00:01', launchers: [] }],
  };
}

const atHome = domainIsAt(
  guestMoves(launcherComes(cluster, 'vm1', 'a', 'node2'), 'vm1', 'node2'),
  'vm1',
  'a',
);
const targetCreated = launcherComes(atHome, 'vm1', 'b', 'node1');
const migrated = domainIsAt(guestMoves(targetCreated, 'vm1', 'node1'), 'vm1', 'b');

function rowsOf(network: OvnKubernetesTopology): readonly NorthboundRow[] {
  return (ovnKubernetes().plan(network).northbound?.zones ?? []).flatMap(({ rows }) => rows);
}

/** Routes and policies that name the machine's address. */
function pointToPoint(network: OvnKubernetesTopology): readonly NorthboundRow['columns'][] {
  return rowsOf(network)
    .filter(({ table }) => /^Logical_Router_(Static_Route|Policy)$/.test(table))
    .map(({ columns }) => columns)
    .filter((columns) => JSON.stringify(columns).includes('10.244.0.8'));
}

/** "Point to point routing", the drawing without zones: node1 is where it runs. */
const drawing = [
  {
    ip_prefix: '10.244.0.8',
    nexthop: '10.244.0.8',
    output_port: { set: ['rtos-node1'] },
    policy: 'dst-ip',
  },
  {
    priority: 10,
    match: 'ip4.src == 10.244.0.8',
    action: 'reroute',
    nexthops: { set: ['10.64.0.2'] },
  },
];

void t.test('routes and policies, before, while and after it migrates', async (t) => {
  const cases: readonly (readonly [string, OvnKubernetesTopology, readonly object[]])[] = [
    ['at home', atHome, []],
    ['a target is created', targetCreated, []],
    ['the guest has moved, and nobody says so', guestMoves(targetCreated, 'vm1', 'node1'), []],
    ['KubeVirt says so', migrated, drawing],
    ['post-copy: the target is ready', targetIsReady(targetCreated, 'vm1', 'b'), drawing],
    ['the source has ended', launcherEnds(migrated, 'vm1', 'a'), drawing],
    ['the migration has failed', launcherEnds(targetCreated, 'vm1', 'b', 'Failed'), []],
    ['it is deleted', machineGoes(migrated, 'vm1'), []],
    [
      'it is back',
      domainIsAt(
        launcherComes(launcherEnds(migrated, 'vm1', 'a'), 'vm1', 'c', 'node2'),
        'vm1',
        'c',
      ),
      [],
    ],
  ];
  for (const [what, network, expected] of cases)
    t.strictSame(pointToPoint(network), expected, what);
});

/** The same where each node is a zone: the drawing "Local zone" and the drawing "Remote zone". */
void t.test('routes in the local and in the remote zone', async (t) => {
  const interconnected = (network: OvnKubernetesTopology): OvnKubernetesTopology => ({
    ...network,
    zones: 'a-node',
    transit: { first: '10.64.0.3', prefixLength: 16 },
  });
  const routesIn = (network: OvnKubernetesTopology, zone: string) =>
    (ovnKubernetes().plan(interconnected(network)).northbound?.zones ?? [])
      .filter(({ name }) => name === zone)
      .flatMap(({ rows }) => rows)
      .filter(({ id }) => id === 'route to vm1' || id === 'route out of migrated machines')
      .map(({ columns }) => columns);
  t.strictSame(routesIn(migrated, 'node1'), [
    {
      ip_prefix: '10.244.0.8',
      nexthop: '10.244.0.8',
      output_port: { set: ['rtos-node1'] },
      policy: 'dst-ip',
    },
    { ip_prefix: '10.244.0.0/16', nexthop: '10.64.0.2', policy: 'src-ip' },
  ]);
  t.strictSame(routesIn(migrated, 'node2'), [
    { ip_prefix: '10.244.0.8', nexthop: '10.64.0.3', policy: 'dst-ip' },
  ]);
  for (const zone of ['node1', 'node2']) {
    t.strictSame(routesIn(atHome, zone), [], `${zone}, at home`);
    t.strictSame(routesIn(machineGoes(migrated, 'vm1'), zone), [], `${zone}, deleted`);
  }
  const policies = (ovnKubernetes().plan(interconnected(migrated)).northbound?.zones ?? [])
    .flatMap(({ rows }) => rows)
    .filter(({ table }) => table === 'Logical_Router_Policy')
    .map(({ columns }) => columns['action']);
  t.strictSame(policies, ['allow', 'allow'], 'no policy reroutes');
});

void t.test('the port of a switch to the router, and those of the machine', async (t) => {
  const rows = rowsOf(migrated);
  const columnsOf = (id: string) => rows.find((row) => row.id === id)?.columns;
  for (const node of ['node1', 'node2'])
    t.match(columnsOf(`switch port stor-${node}`), {
      options: {
        map: { arp_proxy: '0a:58:0a:f3:00:00 169.254.1.1 fe80::858:aff:fef3:0 10.244.0.0/16' },
      },
    });
  for (const letter of ['a', 'b'])
    t.match(columnsOf(`switch port virt-launcher-vm1-${letter}`), {
      addresses: { set: ['0a:58:0a:f4:00:01 10.244.0.8'] },
      dhcpv4_options: { set: [{ row: 'DHCP options vm1' }] },
    });
  t.strictSame(columnsOf('DHCP options vm1'), {
    cidr: '10.244.0.0/24',
    options: {
      map: {
        lease_time: '3500',
        router: '169.254.1.1',
        dns_server: '10.96.0.10',
        server_id: '169.254.1.1',
        server_mac: 'c0:ff:ee:00:00:01',
        hostname: '"vm1"',
      },
    },
  });
});

void t.test('a pod without one of the two marks gets neither options nor routes', async (t) => {
  const unmarked = (mark: 'labels' | 'annotations'): OvnKubernetesTopology => ({
    ...migrated,
    machines: migrated.machines.map((machine) => ({
      ...machine,
      launchers: machine.launchers.map((launcher) => ({
        ...launcher,
        metadata: {
          ...launcher.metadata,
          [mark]: mark === 'labels' ? { 'kubevirt.io/nodeName': launcher.spec.nodeName } : {},
        },
      })),
    })),
  });
  for (const mark of ['labels', 'annotations'] as const) {
    t.strictSame(pointToPoint(unmarked(mark)), [], `without ${mark}`);
    t.notOk(
      rowsOf(unmarked(mark)).some(({ table }) => table === 'DHCP_Options'),
      `no options without ${mark}`,
    );
  }
});
