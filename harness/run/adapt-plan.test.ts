// Goal: what a version of Open vSwitch cannot have is left away, said, and changes no packet.
// Method: Windows nodes that tunnel, planned for versions before and since 3.4; the model of the
// newest, with and without.
import t from 'tap';
import { antreaPromises } from '../intent/antrea/promises.js';
import podToPod from '../../scenarios/antrea/windows-pod-to-pod.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { firstCandidateOracle } from '../model/ambiguity.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { Switches } from '../testbeds/testbed.js';
import { adaptPlan } from './adapt-plan.js';
import { runScenario } from './run-scenario.js';

const axes = { mode: 'encap', nodes: 'WL', tunnel: 'geneve' };
const wanted = podToPod.controlPlane.plan(
  podToPod.topology({ mode: 'encap', nodes: 'WL', tunnel: 'geneve' }),
);
const localIps = ({ nodes }: ClusterPlan) =>
  nodes.flatMap(({ bridges }) =>
    bridges.flatMap(({ ports }) =>
      ports.flatMap((port) => (port.kind === 'tunnel' ? [port.options?.local_ip ?? 'none'] : [])),
    ),
  );

void t.test('where it is left away', async (t) => {
  t.same(localIps(wanted), ['172.30.0.1', 'none']);
  for (const version of ['3.4.0', '3.5.0', '4.0.0', 'unknown'])
    t.same(adaptPlan(version, wanted), { plan: wanted, adaptations: [] }, version);
  const { plan, adaptations } = adaptPlan('3.1.0', wanted);
  t.same(localIps(plan), ['none', 'none']);
  t.same(adaptations, [
    'antrea-tun0 of n1 has no local_ip=172.30.0.1: Open vSwitch 3.1.0 asks the kernel for a ' +
      'route there, and takes the address by itself, for it is the only one',
  ]);
  const several: ClusterPlan = {
    ...wanted,
    nodes: wanted.nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) =>
        bridge.underlay === undefined
          ? bridge
          : {
              ...bridge,
              underlay: { ...bridge.underlay, ipv6: { ip: 'fd00::1', prefixLength: 64 } },
            },
      ),
    })),
  };
  t.same(
    adaptPlan('3.1.0', several),
    { plan: several, adaptations: [] },
    'not where there is a choice',
  );
});

/** The scenario's verdict and trace, with the model of one version as its switches. */
async function run(version: string, options: { readonly version?: string } = {}, plan = wanted) {
  const openReal = (opened: ClusterPlan): Promise<Switches> => {
    const model = openModel(opened, { 'ovs-vswitchd': version });
    return Promise.resolve({
      ...model,
      versions: { 'ovs-vswitchd': version },
      call: (calls) => model.call(calls, firstCandidateOracle),
      lookups: () => ({ hit: model.traces().length, missed: 0 }),
      assertUndisturbed: () => Promise.resolve(),
    });
  };
  const { report } = await runScenario(
    { ...podToPod, controlPlane: { name: 'given', promises: antreaPromises, plan: () => plan } },
    axes,
    {
      seed: 1,
      nowMs: () => 0,
      openReal,
      only: ({ id }) => ['ping/p1/p3', 'tcp/p3/p1', 'ping/n1/p3'].includes(id),
      ...options,
    },
  );
  return { verdict: report.verdict, traceHash: report.traceHash, adaptations: report.adaptations };
}

void t.test('it changes no packet where it could stay', async (t) => {
  const [asWanted, without] = [
    await run('3.5.0'),
    await run('3.5.0', {}, adaptPlan('3.1.0', wanted).plan),
  ];
  t.equal(asWanted.verdict, 'conforms');
  t.same(without, asWanted);
});

void t.test(
  'before 3.4 tunnels carry nothing unless it is left away, and the report says so',
  async (t) => {
    t.match(await run('3.1.0'), { verdict: 'diverges', adaptations: undefined });
    t.match(await run('3.1.0', { version: '3.1.0' }), {
      verdict: 'conforms',
      adaptations: adaptPlan('3.1.0', wanted).adaptations,
    });
  },
);
