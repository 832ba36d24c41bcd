// Goal: the truth table of a folder of manifests is reported whole and alike to people and
// programs, with what may pass and what is known to differ. Method: a golden text of
// topologies/antrea/network-policy, and two ClusterNetworkPolicies that contradict each other.
import { readFile, writeFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { antrea } from '../control/antrea/index.js';
import { readAntreaCluster } from '../../topologies/antrea/read-antrea-cluster.js';
import { networkPolicyCluster } from '../../topologies/antrea/network-policy.js';
import { truthTableOf } from '../run/coverage/truth-table.js';
import { intentAsJson, renderIntent } from '../../reports/render-intent.js';

const golden = new URL('../../../reports/golden/intent.txt', import.meta.url);

void t.test('for people', async (t) => {
  const text =
    stripVTControlCharacters(
      renderIntent(truthTableOf(networkPolicyCluster('geneve'), antrea('1.3'))),
    ) + '\n';
  if (process.env['FLOWBED_GOLDEN'] === 'write') await writeFile(golden, text);
  t.equal(
    text,
    await readFile(golden, 'utf8'),
    'if it was meant to change: FLOWBED_GOLDEN=write node dist/harness/cli/intent.test.js',
  );
  t.match(text, /^! known to diverge: .*own-node-egress/m);
});

void t.test('for programs: each cell, and the same in matrices', (t) => {
  const printed = JSON.parse(
    intentAsJson(truthTableOf(networkPolicyCluster('geneve'), antrea('1.3'))),
  ) as {
    readonly counts: Readonly<Record<string, number>>;
    readonly matrices: readonly {
      readonly service: string;
      readonly sources: readonly string[];
      readonly destinations: readonly string[];
      readonly promised: readonly string[];
    }[];
    readonly cells: readonly { readonly id: string; readonly promise: string }[];
  };
  t.equal(
    Object.values(printed.counts).reduce((sum, count) => sum + count, 0),
    printed.cells.length,
  );
  const letters = new Map<string, string | undefined>(
    printed.matrices.flatMap(({ service, sources, destinations, promised }) =>
      sources.flatMap((from, row) =>
        destinations.map(
          (to, column) => [`${service}/${from}/${to}`, promised[row]?.[column]] as const,
        ),
      ),
    ),
  );
  const words: Readonly<Record<string, string>> = {
    'must pass': '+',
    'must be refused': 'r',
    'must not pass': '-',
    'nobody holds it': 'n',
    'may pass': '~',
    'known to diverge': '!',
    'nothing promised': '?',
  };
  t.same(
    printed.cells.filter(({ id, promise }) => letters.get(id) !== words[promise]),
    [],
  );
  t.equal([...letters.values()].filter((letter) => letter !== ' ').length, printed.cells.length);
  t.end();
});

void t.test('what contradicts itself may pass', (t) => {
  const policy = (
    name: string,
    action: string,
  ) => `apiVersion: security.antrea.tanzu.vmware.com/v1alpha1
kind: ClusterNetworkPolicy
metadata: { name: ${name} }
spec: { priority: 5, appliedTo: [{ podSelector: { matchLabels: { app: b } } }], ingress: [{ action: ${action}, from: [{ podSelector: { matchLabels: { app: a } } }] }] }`;
  const pod = (name: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, labels: { app: ${name} } }\nspec: ` +
    '{ nodeName: n1 }';
  const text = [
    'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }',
    pod('a'),
    pod('b'),
    policy('one', 'Allow'),
    policy('other', 'Drop'),
  ].join('\n---\n');
  const table = truthTableOf(
    readAntreaCluster([{ file: 'f.yaml', text }], { name: 'mine', tunnel: 'geneve' }),
    antrea('1.3'),
  );
  t.match(table.cells.find(({ id }) => id === 'icmp/a/b')?.intent, { kind: 'either' });
  t.match(renderIntent(table), /^~ may pass: .*$/m);
  t.end();
});

// A Service by whose name one endpoint is open and the other is shut may pass: the table, the
// counts and the reasons say so, with the port that is shut and the policy that shuts it.
void t.test('a Service of which policies shut some endpoints may pass', (t) => {
  const pod = (name: string, port: number) =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, labels: { app: web } }\nspec: ` +
    `{ nodeName: n1, containers: [{ name: c, ports: [{ name: http, containerPort: ${port} }] }] }`;
  const text = [
    'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }',
    'apiVersion: v1\nkind: Node\nmetadata: { name: n2 }',
    pod('open', 80),
    pod('shut', 8080),
    'apiVersion: v1\nkind: Pod\nmetadata: { name: asker }\nspec: { nodeName: n2 }',
    'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { clusterIP: 10.96.0.60, ' +
      'selector: { app: web }, ports: [{ port: 80, targetPort: http }] }',
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: eighty }\nspec: ' +
      '{ podSelector: { matchLabels: { app: web } }, ingress: [{ ports: [{ port: 80 }] }] }',
  ].join('\n---\n');
  const table = truthTableOf(
    readAntreaCluster([{ file: 'f.yaml', text }], { name: 'mine', tunnel: 'geneve' }),
    antrea('1.3'),
  );
  const printed = renderIntent(table);
  const cells = ['asker', 'open', 'shut', 'n2'].map((from) => `service/${from}/default/web`);
  const { counts, cells: documents } = JSON.parse(intentAsJson(table)) as {
    readonly counts: Readonly<Record<string, number>>;
    readonly cells: readonly { readonly id: string; readonly promise: string }[];
  };
  t.same(
    documents.filter(({ promise }) => promise === 'may pass').map(({ id }) => id),
    table.cells.filter(({ id }) => cells.includes(id)).map(({ id }) => id),
    'all but n1, which may always reach its own pods',
  );
  t.equal(counts['may pass'], cells.length);
  t.match(stripVTControlCharacters(printed), `${cells.length} may pass`);
  t.match(
    printed,
    '~ may pass: Service default/web, TCP port 80: TCP port 8080 of shut: NetworkPolicy ' +
      'default/eighty let no such ingress of shut through',
  );
  t.match(printed, /^ {2}\d asker +~$/m);
  t.notMatch(printed, 'seed', 'nothing of flows or tables, where no switch was asked');
  t.end();
});
