/** A change of a cluster that OVN programs. */
import { assert, Unsupported } from '../../base/errors/errors.js';
import { stepsBetween, type AgentStep } from '../../control/agent-steps.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import { asPlugged, uncompiledPlan, withDumpedBridges } from '../../domain/plan/uncompiled-plan.js';
import { agentViewsAfter, describeStep, type TimelineEvent } from '../../domain/timeline.js';
import type { Topology } from '../../domain/topology.js';
import type { Switches } from '../../testbeds/testbed.js';
import { readDumpedAgain } from '../../openflow/bridge-program.js';
import { shareUnchanged, type AgentState } from './agent-state.js';

/**
 * Ports come first, then OVN compiles what the cluster is now, and ports go last, once nothing
 * leads to them. @param apply applies a step to both sides.
 */
export async function applyThroughOvn(
  controlPlane: ControlPlane<Topology>,
  { agentViews, plan: before }: AgentState,
  event: TimelineEvent,
  real: Switches,
  apply: (step: AgentStep) => Promise<void>,
): Promise<AgentState & { readonly steps: readonly AgentStep[] }> {
  if (event.kind !== 'cluster' || (event.staleAgents ?? []).length > 0)
    throw new Unsupported(
      `${describeStep(event)}: of a cluster that OVN programs only the cluster changes, for all ` +
        'of its nodes',
    );
  const wanted = controlPlane.plan(event.cluster, before);
  const [first, last] = portSteps(before, wanted);
  for (const step of first) await apply(step);
  const compiled = await recompiled(real, wanted, before);
  const programmed = compiled.nodes
    .filter((node) => !before.nodes.includes(node))
    .map((plan): AgentStep => ({ kind: 'programmed', node: plan.node, plan }));
  for (const step of [...programmed, ...last]) await apply(step);
  return {
    agentViews: agentViewsAfter(agentViews, event),
    plan: compiled,
    steps: [...first, ...programmed, ...last],
  };
}

/** What has to be there before flows name it, and what goes once none does. */
function portSteps(
  before: ClusterPlan,
  wanted: ClusterPlan,
): readonly [readonly AgentStep[], readonly AgentStep[]] {
  const steps = stepsBetween(uncompiledPlan(before), uncompiledPlan(thereAlready(before, wanted)));
  const isLast = ({ kind }: AgentStep) => kind === 'detach' || kind === 'leave';
  return [steps.filter((step) => !isLast(step)), steps.filter(isLast)];
}

/** Ports that programs have plugged before are ports as any other. */
function thereAlready(before: ClusterPlan, wanted: ClusterPlan): ClusterPlan {
  const had = new Set(
    before.nodes.flatMap(({ node, bridges }) =>
      bridges.flatMap(({ ports }) => ports.map(({ name }) => `${node} ${name}`)),
    ),
  );
  return withDumpedBridges(wanted, ({ node }, bridge) => ({
    ...bridge,
    ports: bridge.ports.map((port) => (had.has(`${node} ${port.name}`) ? asPlugged(port) : port)),
  }));
}

/** What is as before is the same object as before. */
async function recompiled(
  { recompile }: Switches,
  wanted: ClusterPlan,
  before: ClusterPlan,
): Promise<ClusterPlan> {
  assert(recompile !== undefined, 'switches that OVN programs can be programmed again');
  const compiled = await recompile(wanted);
  return {
    ...compiled,
    nodes: compiled.nodes.map((node) => {
      const held = before.nodes.find((one) => one.node === node.node);
      const shared = shareUnchanged(held, node);
      for (const bridge of shared.bridges) {
        const known = held?.bridges.find(({ name }) => name === bridge.name);
        if (known !== undefined) readDumpedAgain(node.node, known, bridge);
      }
      return shared;
    }),
  };
}
