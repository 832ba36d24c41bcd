// Goal: a hypervisor's plan follows from what HNS holds and what was asked of the agent, and from
// nothing else. Method: one container in each of its four states, the flows counted that name its
// port; then clusters that cannot exist.
import t from 'tap';
import { withContainers } from '../../../topologies/contrail/contrail-cluster.js';
import { gone, injected, up, waiting } from '../../../topologies/contrail/container-life.js';
import { contrailCluster } from '../../../topologies/contrail/tenants.js';
import { contrail } from './index.js';
import { hnsNetworkName, readHnsNetworkName } from './hns-names.js';

const place = { hypervisor: 'h1', tenant: 'blue', network: 'front', address: 5 };
const cluster = (presence: typeof up) =>
  contrailCluster(2, 'vxlan', [{ name: 'c1', ...place, ...presence }]);
const flowsOf = (presence: typeof up, node = 0) =>
  contrail().plan(cluster(presence)).nodes[node]?.bridges[0]?.flows ?? [];

void t.test('a port passes nothing until it is added, but what comes from LOCAL', async (t) => {
  const naming = (flows: readonly string[]) =>
    flows.filter((flow) => /in_port=10\b|output:10\b/.test(flow));
  t.strictSame(naming(flowsOf(waiting)), [
    'table=0,priority=200,in_port=LOCAL actions=output:1,output:10',
  ]);
  t.strictSame(naming(flowsOf(injected)), [], 'no adapter, no port');
  t.strictSame(naming(flowsOf(gone)), []);
  const added = naming(flowsOf(up));
  t.equal(added.length, 3, 'ARP and IP from it, and IP to it');
  t.notOk(
    added.some((flow) => flow.includes('in_port=LOCAL')),
    'the native driver is not in the way any more',
  );
});

void t.test('with MPLS a label stands in front of the packet, which comes in no frame', (t) => {
  const [h1, h2] = contrail().plan(
    contrailCluster(2, 'mpls-over-gre', [
      { name: 'c1', ...place },
      { name: 'c2', ...place, hypervisor: 'h2', address: 6 },
    ]),
  ).nodes;
  const [sent] = h1?.bridges[0]?.flows.filter((flow) => flow.includes('tun_dst')) ?? [];
  t.match(sent, /push_mpls:0x8847,set_field:101->mpls_label,set_field:172\.30\.0\.2->tun_dst/);
  const taken = h2?.bridges[0]?.flows.filter((flow) => /mpls_label=|table=25/.test(flow)) ?? [];
  t.match(taken[0], /in_port=2,mpls,mpls_label=101,mpls_bos=1 actions=pop_mpls:0x0800/);
  t.match(taken[1], /table=25,.*nw_dst=10\.1\.1\.6 actions=set_field:00:00:5e:00:01:00->eth_src/);
  t.equal(taken.length, 3, "and what is nobody's is dropped");
  t.end();
});

void t.test(
  'other hypervisors get a route to a port that is added, if they have the network',
  (t) => {
    const there = contrailCluster(2, 'vxlan', [
      { name: 'c1', ...place },
      { name: 'c2', ...place, hypervisor: 'h2', address: 6 },
    ]);
    const [h1] = contrail().plan(there).nodes;
    t.match(
      h1?.bridges[0]?.flows.filter((flow) => flow.includes('tun_dst')),
      [/^table=30,.*reg0=101,reg1=0,.*set_field:101->tun_id,set_field:172\.30\.0\.2->tun_dst/],
    );
    t.strictSame(
      flowsOf(up, 1).filter((flow) => flow.includes('tun_dst')),
      [],
      'h2 has nobody on that network',
    );
    t.end();
  },
);

void t.test('a container has what HNS has configured', async (t) => {
  t.match(contrail().plan(cluster(waiting)).nodes[0]?.hosts[0], {
    name: 'c1',
    interfaces: [{ mac: '02:65:0a:01:01:05', ip: '10.1.1.5', prefixLength: 24 }],
    routes: [{ via: '10.1.1.1' }],
  });
  t.match(contrail().plan(cluster(gone)).nodes[0]?.hosts, [{ name: 'h1' }]);
});

void t.test('names of HNS networks are read back', async (t) => {
  t.strictSame(readHnsNetworkName(hnsNetworkName('t', 'n', 's')), {
    tenant: 't',
    network: 'n',
    subnet: 's',
  });
  for (const other of ['nat', 'Contrail:t:n', 'Contrail:t:n:s:x', 'ContrailRootNetwork'])
    t.equal(readHnsNetworkName(other), undefined, other);
});

void t.test('a cluster that cannot exist is refused, by field and value', async (t) => {
  const right = cluster(up);
  const [c1] = right.containers;
  if (c1 === undefined) throw new Error('there is a container');
  const planned = (wrong: typeof right) => () => contrail().plan(wrong);
  t.throws(
    planned(withContainers(right, [c1, { ...c1, name: 'c2' }])),
    /containers\[1\]\.ip: 10\.1\.1\.5 is that of c1 in the same network/,
  );
  t.throws(
    planned(withContainers(right, [{ ...c1, ip: '10.1.1.1' }])),
    /containers\[0\]\.ip: 10\.1\.1\.1 is no address for a container in 10\.1\.1\.0\/24/,
  );
  t.throws(
    planned({
      ...right,
      virtualNetworks: right.virtualNetworks.map((network) => ({
        ...network,
        subnets: network.subnets.map((subnet) => ({ ...subnet, gateway: '10.9.9.1' })),
      })),
    }),
    /virtualNetworks\[0\]\.subnets\[0\]\.gateway: 10\.9\.9\.1 is not in 10\.1\.1\.0\/24/,
  );
  t.throws(planned({ ...right, nodes: right.nodes.slice(1) }), /"h1" is none of h2/);
});
