/**
 * Goal: switches can be compared with other switches in place of the model. Method: the switches of
 * two versions, which agree; then ones among whose flows one is missing, on either side.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import changes from '../../scenarios/antrea/changes.js';
import encap from '../../scenarios/antrea/encap.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import { referenceOf } from '../testbeds/reference.js';
import { defaultBackend } from '../testbeds/registry.js';
import { runScenario } from './run-scenario.js';

const [trixie, bookworm] = await Promise.all(
  ['trixie', 'bookworm'].map((name) => openImage(name, (line) => t.comment(line))),
);
if (trixie === undefined || bookworm === undefined) throw new Error('two images');
const isFew = ({ id }: { readonly id: string }) => /^(ping|tcp)\/p1\//.test(id);

/** n1's br-int forwards no IP to the gateway's MAC, nor to any other it knows. */
function withoutForwarding(plan: ClusterPlan): ClusterPlan {
  return {
    ...plan,
    nodes: plan.nodes.map((node, index) =>
      index > 0
        ? node
        : {
            ...node,
            bridges: node.bridges.map((bridge) => ({
              ...bridge,
              flows: bridge.flows.filter((flow) => !flow.includes('dl_dst=')),
            })),
          },
    ),
  };
}

const same = (plan: ClusterPlan): ClusterPlan => plan;
const run = async (
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  { real = same, reference = same },
) =>
  (
    await runScenario(scenario, axes, {
      seed: 1,
      nowMs: () => 0,
      version: '3.1.0',
      only: isFew,
      openReal: (plan) => defaultBackend.open(real(plan), trixie),
      openReference: async (plan) =>
        referenceOf(await defaultBackend.open(reference(plan), bookworm), plan),
    })
  ).report;
const axes = { nodes: '2', tunnel: 'geneve' };

void t.test('two versions agree', async (t) => {
  const { verdict, counts, vectors } = await run(encap, axes, {});
  t.equal(verdict, 'conforms');
  t.ok(vectors.length > 5 && counts.frames.made > 100 && counts.cache.made > 0);
});

void t.test('also while the cluster changes', async (t) => {
  const { verdict, counts } = await run(changes, { tunnel: 'geneve' }, {});
  t.equal(verdict, 'conforms');
  t.ok(counts.frames.made > 100 && counts.counters.made > 0);
});

void t.test('a flow that one side lacks', async (t) => {
  for (const sides of [{ real: withoutForwarding }, { reference: withoutForwarding }]) {
    const { verdict, vectors } = await run(encap, axes, sides);
    t.equal(verdict, 'diverges', Object.keys(sides).join());
    t.ok(
      vectors.some(({ differences }) =>
        differences.some(
          ({ between, aspect }) => between === 'model and switch' && aspect === 'frames',
        ),
      ),
      'frames differ',
    );
  }
});
