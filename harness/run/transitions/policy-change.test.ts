// Goal: a policy that comes while a connection stands leaves it alone, and lets no new one through
// (the seed, "EgressRuleTable": "ongoing connections are not affected if the K8s Network Policies
// are updated"). Method: a connection on the model, with the flows of a policy added before a late
// one of its calls; then another connection of the same pods.
import t from 'tap';
import { readAntreaCluster } from '../../../topologies/antrea/read-antrea-cluster.js';
import { judgeIntent } from '../../compare/judge-intent.js';
import { antrea } from '../../control/antrea/index.js';
import { antreaIntent } from '../../intent/antrea/antrea-intent.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import type { SwitchCall } from '../../domain/switching.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { withEmulatedHosts } from '../../lockstep/emulated-hosts.js';

const cluster = `
apiVersion: v1
kind: Node
metadata: { name: n1 }
---
apiVersion: v1
kind: Pod
metadata: { name: a }
spec: { nodeName: n1 }
---
apiVersion: v1
kind: Pod
metadata: { name: b }
spec: { nodeName: n1 }
`;
const policy =
  '---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: nobody ' +
  '}\nspec: { podSelector: {}, policyTypes: [Ingress, Egress] }\n';
const [before, after] = [cluster, cluster + policy].map((text) =>
  readAntreaCluster([{ file: 'f', text }], { name: 'x', tunnel: 'geneve' }),
);
const stimulus: Stimulus = { kind: 'tcp', from: 'a', to: '10.10.1.3', port: 7 };

void t.test('what stands, stands; what is new is kept back', async (t) => {
  if (before === undefined || after === undefined) throw new Error('two clusters');
  const plan = antrea('0.8').plan(before);
  const flowsOf = (network: typeof before) =>
    antrea('0.8').plan(network).nodes[0]?.bridges[0]?.flows ?? [];
  const added = flowsOf(after).filter((flow) => !flowsOf(before).includes(flow));
  t.equal(added.length, 4, 'two pods, two directions');
  const change: SwitchCall = {
    kind: 'change',
    node: 'n1',
    bridge: 'br-int',
    lines: added.map((flow) => `flow add ${flow}`),
  };
  const model = openModel(plan);
  let calls = 0;
  const play = async (id: string, changeAt: number) => {
    calls = 0;
    return await withEmulatedHosts(
      {
        ...model,
        call: async (asked) => {
          calls += 1;
          if (calls === changeAt) await model.call([change], firstCandidateOracle);
          return await model.call(asked, firstCandidateOracle);
        },
      },
      plan,
      { seed: 1, hosts: 'start afresh' },
    ).play(id, stimulus);
  };
  const never = Number.POSITIVE_INFINITY;
  t.equal(
    judgeIntent(antreaIntent(before, stimulus), stimulus, await play('untouched', never)),
    undefined,
  );
  const half = Math.ceil(calls / 2);
  await model.reset();
  t.equal(
    judgeIntent(antreaIntent(before, stimulus), stimulus, await play('standing', half)),
    undefined,
    'it is played to its end',
  );
  t.equal(
    judgeIntent(antreaIntent(after, stimulus), stimulus, await play('new', never)),
    undefined,
    'the next one is denied',
  );
  t.not(
    judgeIntent(antreaIntent(before, stimulus), stimulus, await play('newer', never)),
    undefined,
    'which is not what was promised before',
  );
});
