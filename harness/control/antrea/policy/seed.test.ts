// Goal: the policies of the seed become the flows that it lists, table by table. Method: the
// objects that the seed names, written as manifests, on a node with their addresses; the listing
// (seed-flows.txt) in the parser's canonical form, with OpenFlow ports by the pods that they belong
// to. The seed took the two examples from two nodes; each is held to its own tables.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { readAntreaCluster } from '../../../../topologies/antrea/read-antrea-cluster.js';
import { parseFlow, parseFlows, printFlow } from '../../../openflow/flows/flow.js';
import { noNames } from '../../../openflow/syntax/form.js';
import { antrea } from '../index.js';

const listing = readFileSync('harness/control/antrea/seed-flows.txt', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('table='));

const node = `
apiVersion: v1
kind: Node
metadata: { name: n1 }
spec: { podCIDR: 10.10.1.0/24 }
`;

const pod = (name: string, app: string, ip: string) => `---
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${app} } }
spec: { nodeName: n1 }
status: { podIP: ${ip} }
`;

const policyNamed = (name: string) => {
  const found = readFileSync('topologies/antrea/network-policy/policies.yaml', 'utf8')
    .split('---\n')
    .find((text) => text.includes(`name: ${name}\n`));
  if (found === undefined) throw new Error(`no policy ${name}`);
  return `---\n${found}`;
};

void t.test('two nginx pods and test-network-policy: tables 50, 60, 90 and 100', async (t) => {
  const flows = flowsOf(
    node,
    pod('nginx1', 'nginx', '10.10.1.2'),
    pod('nginx2', 'nginx', '10.10.1.3'),
    policyNamed('test-network-policy'),
  );
  for (const table of [50, 60, 90, 100])
    t.same(ofTable(flows, table), ofTable(listing.map(canonical), table), `table ${table}`);
  t.same(
    [45, 85].map((table) => ofTable(flows, table).length),
    [2, 2],
    'and none for ClusterNetworkPolicies',
  );
});

void t.test('appServer, appNotClient, appDns and cnp0: tables 45 and 85', async (t) => {
  const flows = flowsOf(
    node,
    pod('appserver', 'server', '10.10.1.6'),
    pod('appnotclient', 'notClient', '10.10.1.7'),
    pod('appdns', 'dns', '10.10.1.8'),
    policyNamed('cnp0'),
  );
  // appServer's port is the first of a pod here, and was 412 there.
  const listed = listing.map((line) => canonical(line.replace('reg1=0x19c', 'reg1=0x3')));
  for (const table of [45, 85])
    t.same(ofTable(flows, table), ofTable(listed, table), `table ${table}`);
  t.same(
    [50, 60, 90, 100].map((table) => ofTable(flows, table).length),
    [2, 1, 3, 1],
    'and none for NetworkPolicies',
  );
});

void t.test('a node without a pod that the policy applies to has no flow of it', async (t) => {
  const elsewhere = node.replace('n1', 'n2').replace('10.10.1.0', '10.10.2.0');
  const bystander = pod('other', 'other', '10.10.2.2').replace('nodeName: n1', 'nodeName: n2');
  const objects = [
    node,
    `---${elsewhere}`,
    pod('nginx1', 'nginx', '10.10.1.2'),
    pod('appserver', 'server', '10.10.1.6'),
    bystander,
  ];
  const on = (name: string, ...more: readonly string[]) => flowsOn(name, ...objects, ...more);
  t.same(on('n2', policyNamed('test-network-policy'), policyNamed('cnp0')), on('n2'));
  t.notSame(on('n1', policyNamed('test-network-policy')), on('n1'));
});

void t.test(
  'rules of equal priority and place share a flow priority, in both directions',
  async (t) => {
    const pods = [node, pod('a', 'a', '10.10.1.2'), pod('b', 'b', '10.10.1.3')];
    const policy = (name: string, priority: number, spec: string) => `---
apiVersion: security.antrea.tanzu.vmware.com/v1alpha1
kind: ClusterNetworkPolicy
metadata: { name: ${name} }
spec: { priority: ${priority}, appliedTo: [{ podSelector: { matchLabels: { app: a } } }], ${spec} }
`;
    const drop = '{ action: Drop, ports: [{ port: 80 }] }';
    const flows = flowsOf(
      ...pods,
      policy('p', 10, `ingress: [${drop}, { action: Allow }], egress: [${drop}]`),
      policy('q', 10, `ingress: [{ action: Allow }, ${drop}, ${drop}]`),
      policy('r', 10.5, `egress: [{ action: Drop, to: [{ ipBlock: { cidr: 10.10.1.3/32 } }] }]`),
    );
    const conjunctions = (table: number) =>
      ofTable(flows, table).flatMap(
        (flow) =>
          /priority=(\d+),conj_id=\d+,ip actions=(drop|set_field)/.exec(flow)?.slice(1).join(' ') ??
          [],
      );
    t.same(conjunctions(85).sort(), [
      '11798 drop',
      '11799 drop',
      '11799 set_field',
      '11800 drop',
      '11800 set_field',
    ]);
    t.same(conjunctions(45).sort(), ['11797 drop', '11800 drop'], 'one order for both tables');
    // p's first rule and q's, which has no ports: everybody is a dimension of both.
    t.match(
      ofTable(flows, 85).find((flow) => /priority=11800,ip,reg1=0x3 /.test(flow)),
      /conjunction\(\d+,1\/2\),conjunction\(\d+,2\/2\)$/,
    );
    t.match(
      ofTable(flows, 85).find((flow) => /priority=11800,ip actions/.test(flow)),
      /actions=conjunction\(\d+,1\/2\)$/,
    );
    const many = Array.from({ length: 131 }, () => drop).join();
    t.throws(() => flowsOf(...pods, policy('p', 3, `ingress: [${many}]`)), {
      name: 'InputError',
      message: /of priority 3 have more than 130 pairs/,
    });
  },
);

void t.test('a block by any of its addresses is the block', async (t) => {
  const pods = [node, pod('nginx1', 'nginx', '10.10.1.2')];
  const flows = (cidr: string, ...except: readonly string[]) =>
    flowsOf(
      ...pods,
      `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: blocks }
spec: { ingress: [{ from: [{ ipBlock: { cidr: ${cidr}, except: [${except.join()}] } }] }] }
`,
    );
  t.same(flows('10.10.1.77/24', '10.10.1.190/26'), flows('10.10.1.0/24', '10.10.1.128/26'));
  t.notSame(flows('10.10.1.77/24'), flows('10.10.1.77/32'));
});

void t.test(
  'policyTypes: none and an empty list are Ingress, and Egress where there are egress rules',
  async (t) => {
    const pods = [node, pod('nginx1', 'nginx', '10.10.1.2'), pod('nginx2', 'nginx', '10.10.1.3')];
    const policyText = policyNamed('test-network-policy');
    const types = /  policyTypes:\n    - Ingress\n    - Egress\n/;
    const flows = flowsOf(...pods, policyText);
    for (const written of ['', '  policyTypes: []\n'])
      t.same(flowsOf(...pods, policyText.replace(types, written)), flows, `"${written}"`);
    const ingress = policyText.replace(/  egress:[^]*/, '');
    t.same(
      flowsOf(...pods, ingress.replace(types, '  policyTypes: []\n')),
      flowsOf(...pods, ingress.replace(types, '  policyTypes: [Ingress]\n')),
    );
    t.notSame(
      flowsOf(...pods, ingress),
      flowsOf(...pods, ingress.replace(types, '')),
      'who says Egress without a rule lets nothing out',
    );
  },
);

function canonical(line: string): string {
  return printFlow(
    parseFlow(line, {
      ...noNames,
      ports: new Map([
        ['antrea-gw0', 2],
        ['antrea-tun0', 1],
        ['coredns5-8ec607', 3],
        ['coredns5-9d9530', 4],
      ]),
    }),
  );
}

function ofTable(flows: readonly string[], table: number): readonly string[] {
  return flows.filter((flow) => flow.startsWith(`table=${table}, `)).sort();
}

function flowsOf(...manifests: readonly string[]): readonly string[] {
  return flowsOn('n1', ...manifests);
}

/** The flows of the node's br-int, in canonical form. */
function flowsOn(name: string, ...manifests: readonly string[]): readonly string[] {
  const cluster = readAntreaCluster([{ file: 'seed.yaml', text: manifests.join('') }], {
    name: 'seed',
    tunnel: 'geneve',
  });
  const bridge = antrea('0.8')
    .plan(cluster)
    .nodes.find((plan) => plan.node === name)
    ?.bridges.find((candidate) => candidate.name === 'br-int');
  return parseFlows(bridge?.flows.join('\n') ?? '', 'br-int', {
    ...noNames,
    ports: new Map(bridge?.ports.map((port) => [port.name, port.ofport])),
  }).map(printFlow);
}
