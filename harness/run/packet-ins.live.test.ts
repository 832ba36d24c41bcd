/**
 * Goal: where a scenario's plan connects controllers, what they get is an aspect of the run.
 * Method: vectors whose TTL expires, for which Antrea's dec_ttl sends to controllers; then the same
 * with switches whose packet-ins are lost on the way.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import encap from '../../scenarios/antrea/encap.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { openSim } from '../testbeds/sim/sim.js';
import { type OpenOptions } from '../testbeds/ovs-switches.js';
import { runScenario } from './run-scenario.js';

const image = await openImage('trixie', (line) => t.comment(line));
const scenario = {
  ...encap,
  controlPlane: {
    ...encap.controlPlane,
    plan: (...args: Parameters<typeof encap.controlPlane.plan>) =>
      withController(encap.controlPlane.plan(...args)),
  },
};

function withController({ nodes, ...rest }: ClusterPlan): ClusterPlan {
  return {
    ...rest,
    nodes: nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) => ({
        ...bridge,
        controllers: [{ id: 0, paused: 'kept' as const }],
      })),
    })),
  };
}

async function run(options: OpenOptions) {
  const { report } = await runScenario(
    scenario,
    { nodes: '2', tunnel: 'geneve' },
    {
      seed: 1,
      depth: 'cold',
      nowMs: () => 0,
      only: ({ id }) => id.startsWith('ttl-'),
      openReal: (plan) => openSim(plan, image, options),
    },
  );
  return report;
}

void t.test('packet-ins are compared where controllers listen', async (t) => {
  const { verdict, counts, notCompared } = await run({});
  t.equal(verdict, 'conforms');
  t.ok(counts['packet-ins'].expected > 0, 'controllers get packets');
  t.equal(counts['packet-ins'].made, counts['packet-ins'].expected);
  t.notOk(notCompared.some(({ what }) => what === 'packet-ins'));
});

void t.test('a packet-in that is lost is a divergence', async (t) => {
  const { verdict, vectors } = await run({ wire: (step) => ({ ...step, packetIns: [] }) });
  t.equal(verdict, 'diverges');
  t.ok(vectors.some(({ differences }) => differences[0]?.aspect === 'packet-ins'));
});
