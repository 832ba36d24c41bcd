// Goal: NetworkPolicies that ovn-kubernetes has in ACLs keep what they promise, in one zone and in
// one a node, and an ACL of the wrong direction or a policy that forgets a port is caught. Method:
// pods of topologies/ovn-kubernetes/network-policy on the ports that policies distinguish, on one
// cluster: OVN numbers zones of the connection tracker otherwise on each.
import t from 'tap';
import { openImage } from '../../images/images.js';
import { zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { readOvnKubernetesCluster } from '../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import { defineScenario } from '../domain/scenario.js';
import type { TestVector } from '../domain/test-vector.js';
import { intentOf } from '../intent/intent.js';
import { servicesOf } from '../kube/services/policy-ports.js';
import { runScenario } from '../run/run-scenario.js';
import { openSim } from '../testbeds/sim/sim.js';
import { podMatrix } from '../vectors/policies.js';
import { aclFaults } from './acl-faults.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));
const scenario = defineScenario({
  name: 'ovn-kubernetes/network-policy',
  title: 'Who reaches whom on which port, where ovn-kubernetes has NetworkPolicies in ACLs',
  axes: { zones: { values: zoneLayouts, default: ['one'] } },
  topology: ({ zones }) => readOvnKubernetesCluster('network-policy', zones),
  controlPlane: ovnKubernetes(),
  vectors: (topology) => podMatrix(topology, servicesOf(topology)),
  intent: intentOf,
});
const only = ({ id }: TestVector) => /^(tcp-8080|tcp-80|udp-7)\//.test(id);

for (const zones of zoneLayouts)
  void t.test(`zones: ${zones}`, async (t) => {
    const { report } = await runScenario(
      scenario,
      { zones },
      { seed: 1, depth: 'cold', nowMs: () => 0, only, openReal: (plan) => openSim(plan, image) },
    );
    t.equal(report.verdict, 'conforms', report.inconclusive?.cause ?? '');
    t.equal(report.vectors.length, 36);
    t.ok(report.vectors.some(({ intent }) => intent.kind === 'denied'));
    t.ok(report.vectors.some(({ intent }) => intent.kind === 'round-trip'));
  });

for (const fault of aclFaults)
  void t.test(fault.name, async (t) => {
    const result = await tryFault(scenario, { zones: 'one' }, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: ({ id }) => id === 'tcp-8080/front.shop/db.shop',
    });
    t.equal(result.kind, 'caught', JSON.stringify(result));
  });
