// Goal: where ClusterNetworkPolicies of equal priority contradict each other, whatever real
// switches do conforms, alone and together, also where they take one policy for one receiver and
// another for another. Method: two receivers that either policy knows by a block of its own size,
// on each version. SUITE=trixie for one version.
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { readAntreaCluster } from '../../../topologies/antrea/read-antrea-cluster.js';
import { antrea } from '../../control/antrea/index.js';
import { antreaIntent } from '../../intent/antrea/antrea-intent.js';
import { defineScenario } from '../../domain/scenario.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { podMatrix } from '../../vectors/policies.js';
import { batched } from '../../vectors/batched.js';
import { runScenario } from '../run-scenario.js';

const pod = (name: string, ip: string) => `---
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${name} } }
spec: { nodeName: n1 }
status: { podIP: ${ip} }
`;

const policy = (name: string, action: string, ...blocks: readonly string[]) => `---
apiVersion: security.antrea.tanzu.vmware.com/v1alpha1
kind: ClusterNetworkPolicy
metadata: { name: ${name} }
spec:
  priority: 10
  appliedTo: [{ podSelector: { matchLabels: { app: from } } }]
  egress: [{ action: ${action}, to: [${blocks.map((cidr) => `{ ipBlock: { cidr: ${cidr} } }`).join()}] }]
`;

const cluster = readAntreaCluster(
  [
    {
      file: 'f',
      text: `
apiVersion: v1
kind: Node
metadata: { name: n1 }
spec: { podCIDR: 10.10.1.0/24 }
${pod('one', '10.10.1.2')}${pod('other', '10.10.1.9')}${pod('from', '10.10.1.20')}
${policy('let', 'Allow', '10.10.1.2/32', '10.10.1.8/29')}
${policy('keep', 'Drop', '10.10.1.0/29', '10.10.1.9/32')}`,
    },
  ],
  { name: 'equal', tunnel: 'geneve' },
);

const cells = podMatrix(cluster, [
  { protocol: 'UDP', port: 9 },
  { protocol: 'TCP', port: 7 },
]);

for (const suite of (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',')) {
  void t.test(suite, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    for (const vectors of [cells, batched(cells)]) {
      const { report } = await runScenario(
        defineScenario({
          name: 'test/equal-priorities',
          title: '',
          axes: {},
          topology: () => cluster,
          controlPlane: antrea('0.8'),
          vectors: () => vectors,
          intent: antreaIntent,
        }),
        {},
        { seed: 1, nowMs: () => 0, openReal: (plan) => openSim(plan, image) },
      );
      t.same(
        report.vectors.flatMap(({ differences }) => differences.map(({ summary }) => summary)),
        [],
      );
      t.equal(report.verdict, 'conforms');
      const open = report.vectors
        .filter(({ intent }) => intent.kind === 'either')
        .map(({ id }) => id);
      t.same(open, ['udp-9/from/one', 'udp-9/from/other', 'tcp-7/from/one', 'tcp-7/from/other']);
    }
  });
}
