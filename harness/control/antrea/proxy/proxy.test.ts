// Goal: Services become the flows and groups that Antrea's documentation lists for AntreaProxy.
// Method: a Service with three endpoints, with and without affinity, on the addresses of the
// documentation's dump ("OVS pipeline" of Antrea 1.4, tables 40 to 42 and HairpinSNATTable), flow
// by flow in canonical form; its resubmits to the next table are gotos here, as in the source.
import t from 'tap';
import { readAntreaCluster } from '../../../../topologies/antrea/read-antrea-cluster.js';
import { parseFlow, parseFlows, printFlow } from '../../../openflow/flows/flow.js';
import { noNames } from '../../../openflow/syntax/form.js';
import { parseGroup } from '../../../openflow/groups/parse-group.js';
import { printGroup } from '../../../openflow/groups/print-group.js';
import { antrea } from '../index.js';

const cluster = (affinity: string) => `
apiVersion: v1
kind: Node
metadata: { name: n1 }
spec: { podCIDR: 10.10.0.0/24 }
---
apiVersion: v1
kind: Node
metadata: { name: n2 }
spec: { podCIDR: 10.10.1.0/24 }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { clusterIP: 10.107.100.231, ports: [{ port: 443 }]${affinity} }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ port: 80 }]
endpoints:
- { addresses: [10.10.0.4], nodeName: n1 }
- { addresses: [10.10.0.9], nodeName: n1, conditions: { ready: false } }
- { addresses: [10.10.1.2], nodeName: n2 }
- { addresses: [192.168.77.100] }
`;

const always = [
  'table=29, priority=200,ip,nw_dst=169.254.169.252 ' +
    'actions=move:NXM_OF_IP_SRC[]->NXM_OF_IP_DST[],load:0x1->NXM_NX_REG0[18],goto_table:30',
  'table=40, priority=0 actions=load:0x1->NXM_NX_REG4[16..18]',
  'table=41, priority=0 actions=goto_table:42',
  'table=42, priority=190,reg4=0x20000/0x70000 actions=load:0x1->NXM_NX_REG4[16..18],resubmit(,41)',
  'table=42, priority=200,tcp,reg3=0xa0a0004,reg4=0x20050/0x7ffff ' +
    'actions=ct(commit,table=45,zone=65520,nat(dst=10.10.0.4:80),' +
    'exec(load:0x21->NXM_NX_CT_MARK[]))',
  'table=42, priority=200,tcp,reg3=0xa0a0102,reg4=0x20050/0x7ffff ' +
    'actions=ct(commit,table=45,zone=65520,nat(dst=10.10.1.2:80),' +
    'exec(load:0x21->NXM_NX_CT_MARK[]))',
  'table=42, priority=200,tcp,reg3=0xc0a84d64,reg4=0x20050/0x7ffff ' +
    'actions=ct(commit,table=45,zone=65520,nat(dst=192.168.77.100:80),' +
    'exec(load:0x21->NXM_NX_CT_MARK[]))',
  'table=42, priority=0 actions=goto_table:45',
  'table=106, priority=200,ip,nw_src=10.10.0.4,nw_dst=10.10.0.4 ' +
    'actions=mod_nw_src:169.254.169.252,load:0x1->NXM_NX_REG0[18],goto_table:110',
  'table=106, priority=0 actions=goto_table:110',
];

const balanced = (mark: string) =>
  'table=41, priority=200,tcp,reg4=0x10000/0x70000,nw_dst=10.107.100.231,tp_dst=443 ' +
  `actions=load:${mark}->NXM_NX_REG4[16..18],load:0x1->NXM_NX_REG0[19],group:1`;

const group = (next: number) =>
  'group_id=1,type=select,' +
  'bucket=bucket_id:0,weight:100,actions=load:0xa0a0004->NXM_NX_REG3[],' +
  `load:0x50->NXM_NX_REG4[0..15],resubmit(,${next}),` +
  'bucket=bucket_id:1,weight:100,actions=load:0xa0a0102->NXM_NX_REG3[],' +
  `load:0x50->NXM_NX_REG4[0..15],resubmit(,${next}),` +
  'bucket=bucket_id:2,weight:100,actions=load:0xc0a84d64->NXM_NX_REG3[],' +
  `load:0x50->NXM_NX_REG4[0..15],resubmit(,${next})`;

void t.test('every connection on its own', async (t) => {
  const { flows, groups } = programOf(cluster(''));
  t.same(flows, canonical([...always, balanced('0x2')]));
  t.same(groups, [printGroup(parseGroup(group(42)))]);
});

void t.test('clients keep their endpoint', async (t) => {
  const learns = (timeout: number) =>
    'cookie=0x40000000001, table=41, ' +
    'priority=190,tcp,reg4=0x30000/0x70000,nw_dst=10.107.100.231,tp_dst=443 actions=' +
    `learn(table=40,hard_timeout=${timeout},priority=200,delete_learned,cookie=0x40000000001,` +
    'eth_type=0x800,nw_proto=6,NXM_OF_TCP_DST[],NXM_OF_IP_DST[],NXM_OF_IP_SRC[],' +
    'load:NXM_NX_REG3[]->NXM_NX_REG3[],load:NXM_NX_REG4[0..15]->NXM_NX_REG4[0..15],' +
    'load:0x2->NXM_NX_REG4[16..18],load:0x1->NXM_NX_REG0[19]),load:0x2->NXM_NX_REG4[16..18],' +
    'goto_table:42';
  const { flows, groups } = programOf(
    cluster(
      ', sessionAffinity: ClientIP, sessionAffinityConfig: { clientIP: { timeoutSeconds: 300 } }',
    ),
  );
  t.same(flows, canonical([...always, balanced('0x3'), learns(300)]));
  t.same(groups, [printGroup(parseGroup(group(41)))]);
  t.same(
    programOf(cluster(', sessionAffinity: ClientIP')).flows,
    canonical([...always, balanced('0x3'), learns(10_800)]),
    'three hours by default',
  );
  t.same(
    programOf(
      cluster(
        ', sessionAffinity: ClientIP, sessionAffinityConfig: { clientIP: { timeoutSeconds: ' +
          '86400 } }',
      ),
    ).flows,
    canonical([...always, balanced('0x3'), learns(65_535)]),
    'OpenFlow can say no more',
  );
});

void t.test('a Service without endpoints, and one without an address, have no flow', async (t) => {
  const none = cluster('')
    .replaceAll(', conditions: { ready: false }', '')
    .replaceAll('- { addresses', '- { conditions: { ready: false }, addresses');
  for (const manifests of [none, cluster('').replace('10.107.100.231', 'None')]) {
    const { flows, groups } = programOf(manifests);
    t.same(
      flows.filter((flow) => flow.startsWith('table=41')),
      canonical(['table=41, priority=0 actions=goto_table:42']),
    );
    t.same(groups, []);
  }
});

function canonical(lines: readonly string[]): readonly string[] {
  return lines.map((line) => printFlow(parseFlow(line))).sort();
}

/** What br-int of the first node has of Services, in canonical form. */
function programOf(text: string): {
  readonly flows: readonly string[];
  readonly groups: readonly string[];
} {
  const bridge = antrea('1.3').plan(
    readAntreaCluster([{ file: 'services.yaml', text }], { name: 'services', tunnel: 'geneve' }),
  ).nodes[0]?.bridges[0];
  const flows = parseFlows(bridge?.flows.join('\n') ?? '', 'br-int', {
    ...noNames,
    ports: new Map(bridge?.ports.map((port) => [port.name, port.ofport])),
  });
  const ofServices = flows.filter(
    ({ table, match }) => [40, 41, 42, 106].includes(table) || (table === 29 && match.length > 0),
  );
  return {
    flows: ofServices.map(printFlow).sort(),
    groups: (bridge?.groups ?? []).map((line) => printGroup(parseGroup(line))),
  };
}
