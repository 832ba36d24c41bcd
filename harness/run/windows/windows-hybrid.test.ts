// Goal: in hybrid mode pods' packets have a tunnel across networks of nodes, and none within one,
// and what does not is caught. Method: the scenario on the model alone; then faults: tunnels
// everywhere, nobody who routes, a node that does not know the router.
import { equal } from 'node:assert/strict';
import t from 'tap';
import {
  checkAntreaTopology,
  type AntreaTopology,
  type TrafficMode,
} from '../../../topologies/antrea/antrea-topology.js';
import { antreaPromises } from '../../intent/antrea/promises.js';
import hybrid from '../../../scenarios/antrea/windows-hybrid.js';
import { routedCluster } from '../../../topologies/antrea/mixed-cluster.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { checkTopology } from '../../domain/topology-check.js';
import type { Switches } from '../../testbeds/testbed.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const axes = { mode: 'hybrid', nodes: 'WL/W', tunnel: 'geneve' };
const topology = routedCluster({ nodes: 'WL/W', podsPerNode: 1, mode: 'hybrid', tunnel: 'geneve' });
const inMode = (mode: TrafficMode): AntreaTopology => ({ ...topology, mode });
const sound = hybrid.controlPlane.plan(topology);

/** Ids of vectors that do not conform. */
async function failing(plan: ClusterPlan): Promise<readonly string[]> {
  const openReal = (opened: ClusterPlan): Promise<Switches> =>
    Promise.resolve(openModelSwitches(opened));
  const scenario = {
    ...hybrid,
    topology: () => topology,
    controlPlane: { name: 'given', promises: antreaPromises, plan: () => plan },
  };
  const { report } = await runScenario(scenario, axes, {
    seed: 1,
    nowMs: () => 0,
    depth: 'cold',
    openReal,
    only: ({ id }) => /^(ping\/(p1\/p[23]|p3\/p1|n1\/n3\/host)|tcp\/p1\/p3)$/.test(id),
  });
  equal(report.vectors.length, 5);
  return report.vectors.filter(({ verdict }) => verdict !== 'conforms').map(({ id }) => id);
}

void t.test('what is tunnelled', async (t) => {
  t.same(await failing(sound), []);
  const [first] = sound.nodes;
  const [bridge] = first?.bridges ?? [];
  t.match(bridge?.underlay, {
    neighbours: [{ ip: '172.30.0.2' }, { ip: '172.30.255.254' }],
    routes: [{ destination: '172.31.0.0/16', gateway: '172.30.255.254' }],
  });
  t.same(
    bridge?.flows.filter(
      (flow) => flow.startsWith('table=70') && /nw_dst=10\.10\.[23]\.0/.test(flow),
    ),
    [
      'table=70,priority=200,ip,nw_dst=10.10.3.0/24 actions=mod_dl_src:0a:00:0a:0a:01:01,' +
        'mod_dl_dst:aa:bb:cc:dd:ee:ff,load:0xac1f0003->NXM_NX_TUN_IPV4_DST[],goto_table:72',
      'table=70,priority=200,ip,nw_dst=10.10.2.0/24 ' +
        'actions=mod_dl_dst:0a:00:ac:1e:00:02,resubmit(,80)',
    ],
  );
});

void t.test('faults are seen', async (t) => {
  t.same(
    await failing(hybrid.controlPlane.plan(inMode('encap'))),
    ['ping/p1/p2'],
    'tunnels everywhere',
  );
  const across = ['ping/p1/p3', 'ping/p3/p1', 'tcp/p1/p3', 'ping/n1/n3/host'];
  t.same(
    (
      await failing({
        ...sound,
        externalHosts: (sound.externalHosts ?? []).map(({ forwarding: _, ...host }) => host),
      })
    ).toSorted(),
    across.toSorted(),
    'nobody routes',
  );
  const lost = sound.nodes.map((node) =>
    node.node === 'n1'
      ? {
          ...node,
          bridges: node.bridges.map((bridge) =>
            bridge.underlay === undefined
              ? bridge
              : { ...bridge, underlay: { ...bridge.underlay, routes: [] } },
          ),
        }
      : node,
  );
  t.same(
    (await failing({ ...sound, nodes: lost })).toSorted(),
    ['ping/p1/p3', 'ping/p3/p1', 'tcp/p1/p3'],
    'tunnels of n1 do not know the router',
  );
});

void t.test('networks that nobody joins, and pods that routers do not know', async (t) => {
  const { routers: _, ...apart } = topology;
  t.throws(() => checkTopology(apart), {
    name: 'InputError',
    message:
      /nodes\[2\]\.underlay\.ip: 172\.31\.0\.3\/16 is not on the network 172\.30\.0\.0\/16 of n1; all nodes share one, or a router has an address on both/,
  });
  t.throws(() => checkAntreaTopology(inMode('noEncap')), {
    name: 'InputError',
    message: /mode: noEncap needs all nodes on one network here/,
  });
});
