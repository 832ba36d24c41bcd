// Goal: what the seed's drawings have of a machine's address, a network with two families has of
// each, in one zone and in several, and one with IPv6 alone has of that; nothing is left once the
// machine is back, and rows of others are in neither. Method: rows about the machine read back, by
// hand; what is planned over IPv4 alone is refused.
import t from 'tap';
import { machineAtHome } from '../../../topologies/ovn-kubernetes/chapters.js';
import { egressCluster } from '../../../topologies/ovn-kubernetes/egress-cluster.js';
import {
  domainIsAt,
  guestMoves,
  launcherComes,
  launcherEnds,
  machineGoes,
} from '../../../topologies/ovn-kubernetes/machine-events.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { withIpv6 } from '../../../topologies/ovn-kubernetes/with-ipv6.js';
import { ovnKubernetes } from './index.js';

const vm = 'fd00:10:10:1::9';

function migrated(network: OvnKubernetesTopology): OvnKubernetesTopology {
  const created = launcherComes(network, 'vm1', 'b', 'n2');
  return domainIsAt(guestMoves(created, 'vm1', 'n2'), 'vm1', 'b');
}

function rowsOf(network: OvnKubernetesTopology, zone: string) {
  const zones = ovnKubernetes().plan(network).northbound?.zones ?? [];
  return zones.filter(({ name }) => name === zone).flatMap(({ rows }) => rows);
}

/** Routes, policies and neighbours that name the machine's address of IPv6, or all of them. */
function pointToPoint(network: OvnKubernetesTopology, zone: string) {
  return rowsOf(network, zone)
    .filter(({ table }) => /^(Logical_Router_(Static_Route|Policy)|Static_MAC_)/.test(table))
    .filter(
      ({ id, columns }) =>
        JSON.stringify(columns).includes(vm) || id === 'route out of migrated machines over IPv6',
    )
    .map(({ columns }) => columns);
}

const ingress = {
  ip_prefix: vm,
  nexthop: vm,
  policy: 'dst-ip',
  output_port: { set: ['rtos-n2'] },
};
const neighbour = {
  logical_port: 'rtos-n2',
  ip: vm,
  mac: '0a:58:0a:0a:01:09',
  override_dynamic_mac: true,
};

void t.test('one zone', async (t) => {
  for (const family of ['dual', 'ipv6'] as const) {
    const home = withIpv6(machineAtHome(2, 'one'), family);
    t.strictSame(pointToPoint(home, 'global'), [], 'at home');
    t.strictSame(pointToPoint(migrated(home), 'global'), [
      ingress,
      {
        priority: 10,
        match: `ip6.src == ${vm}`,
        action: 'reroute',
        nexthops: { set: ['fd00:100:64::3'] },
      },
      neighbour,
    ]);
    const back = launcherComes(launcherEnds(migrated(home), 'vm1', 'a'), 'vm1', 'c', 'n1');
    t.strictSame(pointToPoint(domainIsAt(back, 'vm1', 'c'), 'global'), [], 'back');
    t.strictSame(pointToPoint(machineGoes(migrated(home), 'vm1'), 'global'), [], 'deleted');
  }
});

void t.test('a zone a node', async (t) => {
  const away = migrated(withIpv6(machineAtHome(2, 'a-node'), 'dual'));
  t.strictSame(pointToPoint(away, 'n2'), [
    ingress,
    { ip_prefix: 'fd00:10:10::/48', nexthop: 'fd00:100:64::3', policy: 'src-ip' },
    neighbour,
  ]);
  t.strictSame(pointToPoint(away, 'n1'), [
    { ip_prefix: vm, nexthop: 'fd00:100:88::3', policy: 'dst-ip' },
  ]);
});

void t.test('ports, options and answers for others', async (t) => {
  const column = (family: 'dual' | 'ipv6', id: string) =>
    rowsOf(withIpv6(machineAtHome(2, 'one'), family), 'global').find((row) => row.id === id)
      ?.columns;
  const launcher = 'switch port virt-launcher-vm1-a';
  t.match(column('dual', launcher), {
    addresses: { set: [`0a:58:0a:0a:01:09 10.10.1.9 ${vm}`] },
    dhcpv4_options: { set: [{ row: 'DHCP options vm1' }] },
    dhcpv6_options: { set: [{ row: 'DHCP options vm1 over IPv6' }] },
  });
  t.match(column('ipv6', launcher), { addresses: { set: [`0a:58:0a:0a:01:09 ${vm}`] } });
  t.notHas(column('ipv6', launcher), { dhcpv4_options: {} });
  t.strictSame(column('dual', 'DHCP options vm1 over IPv6'), {
    cidr: 'fd00:10:10:1::/64',
    options: { map: { server_id: 'c0:ff:ee:00:00:01', dns_server: 'fd00:10:96::a' } },
  });
  t.match(column('dual', 'switch port stor-n1'), {
    options: {
      map: {
        arp_proxy:
          '0a:58:0a:f3:00:00 169.254.1.1 fe80::858:aff:fef3:0 10.10.0.0/16 fd00:10:10::/48',
      },
    },
  });
});

void t.test('EgressIPs are refused', async (t) => {
  t.throws(() => ovnKubernetes().plan(withIpv6(egressCluster('one'), 'dual')), {
    message: /no rows over IPv6 for EgressIPs/,
  });
});
