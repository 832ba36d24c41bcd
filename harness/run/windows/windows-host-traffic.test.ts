// Goal: a Windows node's own traffic goes between br-int and the uplink and nowhere else, and what
// does differently is seen. Method: the scenario on the model alone; then flows that give a copy
// away, or let the host's packets into the pipeline.
import { equal } from 'node:assert/strict';
import t from 'tap';
import { antreaPromises } from '../../intent/antrea/promises.js';
import external from '../../../scenarios/antrea/windows-external-traffic.js';
import { mixedCluster } from '../../../topologies/antrea/mixed-cluster.js';
import { antreaIntent } from '../../intent/antrea/antrea-intent.js';
import type { Crossing } from '../../domain/intent.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Switches } from '../../testbeds/testbed.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const topology = mixedCluster({
  nodes: 'WL',
  podsPerNode: 1,
  mode: 'encap',
  tunnel: 'geneve',
  externalHosts: 1,
});
const sound = external.controlPlane.plan(topology);

/** Vectors that do not conform with the flows of the Windows node changed, and how. */
async function failing(change: (flow: string) => string): Promise<readonly string[]> {
  const openReal = (opened: ClusterPlan): Promise<Switches> =>
    Promise.resolve(openModelSwitches(opened));
  const plan: ClusterPlan = {
    ...sound,
    nodes: sound.nodes.map((node) =>
      node.node === 'n1'
        ? {
            ...node,
            bridges: node.bridges.map((bridge) => ({ ...bridge, flows: bridge.flows.map(change) })),
          }
        : node,
    ),
  };
  const only = ({ id }: { readonly id: string }) =>
    ['ping/n1/x1', 'tcp/x1/n1', 'udp/n1/n2/host'].includes(id);
  const { report } = await runScenario(
    { ...external, controlPlane: { name: 'given', promises: antreaPromises, plan: () => plan } },
    { mode: 'encap', nodes: 'WL' },
    { seed: 1, nowMs: () => 0, depth: 'cold', openReal, only },
  );
  equal(report.vectors.length, 3);
  return report.vectors
    .filter(({ verdict }) => verdict !== 'conforms')
    .map(({ id, differences }) => `${id}: ${differences[0]?.aspect}, ${differences[0]?.actual}`);
}

void t.test('every arrow, there and back', async (t) => {
  const promiseOf = (from: string, to: string) => {
    const intent = antreaIntent(topology, { kind: 'ping', from, to });
    const arrow = ({ direction, port, src, dst }: Crossing) => `${direction} ${port} ${src}>${dst}`;
    return intent.kind === 'round-trip'
      ? intent.path?.flatMap(({ node, crossings }) => [node, ...crossings.map(arrow)])
      : [];
  };
  t.same(promiseOf('n1', '172.30.255.1'), [
    'n1',
    'in br-int 172.30.0.1>172.30.255.1',
    'out Ethernet0 172.30.0.1>172.30.255.1',
    'in Ethernet0 172.30.255.1>172.30.0.1',
    'out br-int 172.30.255.1>172.30.0.1',
  ]);
  t.same(promiseOf('x1', '172.30.0.1'), [
    'n1',
    'in Ethernet0 172.30.255.1>172.30.0.1',
    'out br-int 172.30.255.1>172.30.0.1',
    'in br-int 172.30.0.1>172.30.255.1',
    'out Ethernet0 172.30.0.1>172.30.255.1',
  ]);
  t.equal(promiseOf('n2', '172.30.255.1'), undefined, 'of a Linux node no design says it');
});

void t.test('it conforms, and faults are seen', async (t) => {
  t.same(await failing((flow) => flow), []);
  t.same(
    await failing((flow) =>
      flow.replace(
        'in_port=Ethernet0 actions=LOCAL',
        'in_port=Ethernet0 actions=LOCAL,output:antrea-gw0',
      ),
    ),
    [
      'ping/n1/x1: intent, n1, step 4 of the way: 172.30.255.1 > 172.30.0.1 out of antrea-gw0',
      'tcp/x1/n1: intent, n1, step 2 of the way: 172.30.255.1 > 172.30.0.1 out of antrea-gw0',
      'udp/n1/n2/host: intent, n1, step 4 of the way: 172.30.0.2 > 172.30.0.1 out of antrea-gw0',
    ],
    'what is for the host comes out of antrea-gw0 as well',
  );
  t.equal(
    (
      await failing((flow) =>
        flow.replace(
          'in_port=LOCAL actions=output:Ethernet0',
          'in_port=LOCAL actions=goto_table:10',
        ),
      )
    ).length,
    3,
    'what the host sends goes into the pipeline',
  );
});
