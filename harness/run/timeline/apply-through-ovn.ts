/** A change of a cluster that OVN programs. */
import { assert, Unsupported } from '../../base/errors/errors.js';
import { stepsBetween, stepsOfReplay, type AgentStep } from '../../control/agent-steps.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import { asPlugged, uncompiledPlan, withDumpedBridges } from '../../domain/plan/uncompiled-plan.js';
import { agentViewsAfter, describeStep, type TimelineEvent } from '../../domain/timeline.js';
import type { Topology } from '../../domain/topology.js';
import type { Switches } from '../../testbeds/testbed.js';
import { readDumpedAgain } from '../../openflow/bridge-program.js';
import { shareUnchanged, type AgentState } from './agent-state.js';

/** What a run of a timeline has that OVN programs. */
interface ProgrammedByOvn {
  readonly controlPlane: ControlPlane<Topology>;
  readonly real: Switches;
  /** Nodes whose ovn-controller has ended with them; none where it is missing. */
  readonly unprogrammed?: ReadonlySet<string>;
}

type AppliedSteps = AgentState & { readonly steps: readonly AgentStep[] };
type Apply = (step: AgentStep) => Promise<void>;

/** @param apply applies a step to both sides. */
export async function applyThroughOvn(
  { unprogrammed = new Set(), ...run }: ProgrammedByOvn,
  { agentViews, plan: before }: AgentState,
  event: TimelineEvent,
  apply: Apply,
): Promise<AppliedSteps> {
  const after = agentViewsAfter(agentViews, event);
  const [dark] = unprogrammed;
  switch (event.kind) {
    case 'node restarts': {
      const restart = { kind: 'restart', node: event.node, whole: true } as const;
      await apply(restart);
      return { agentViews: after, plan: before, steps: [restart] };
    }
    case 'switch is programmed':
      if (unprogrammed.size > 1) break;
      return { agentViews: after, ...(await programmedAgain(run, before, event.node, apply)) };
    case 'cluster':
      if (dark !== undefined || (event.staleAgents ?? []).length > 0) break;
      return { agentViews: after, ...(await changed(run, before, event, apply)) };
    default:
  }
  throw new Unsupported(
    `${describeStep(event)}: of a cluster that OVN programs nodes restart whole, one at a time, ` +
      'and the cluster changes, for all of its nodes' +
      (dark === undefined ? '' : `, while none is without ovn-controller, as ${dark} is`),
  );
}

/** Bridges of the node's own get their flows again, and OVN compiles what the cluster is. */
async function programmedAgain(
  { real }: ProgrammedByOvn,
  before: ClusterPlan,
  name: string,
  apply: Apply,
): Promise<Pick<AppliedSteps, 'plan' | 'steps'>> {
  const plan = await recompiled(real, before, before);
  const node = plan.nodes.find((one) => one.node === name);
  assert(node !== undefined, `there is a node ${name}`);
  const own = node.bridges.filter(({ origin }) => origin !== 'dumped');
  const steps: readonly AgentStep[] = [
    ...stepsOfReplay({ ...node, bridges: own }),
    ...plan.nodes
      .filter((one) => one === node || !before.nodes.includes(one))
      .map((one): AgentStep => ({ kind: 'programmed', node: one.node, plan: one })),
  ];
  for (const step of steps) await apply(step);
  return { plan, steps };
}

/**
 * Ports come first, then OVN compiles what the cluster is now, and ports go last, once nothing
 * leads to them.
 */
async function changed(
  { controlPlane, real }: ProgrammedByOvn,
  before: ClusterPlan,
  event: Extract<TimelineEvent, { readonly kind: 'cluster' }>,
  apply: Apply,
): Promise<Pick<AppliedSteps, 'plan' | 'steps'>> {
  const wanted = controlPlane.plan(event.cluster, before);
  const [first, last] = portSteps(before, wanted);
  for (const step of first) await apply(step);
  const compiled = await recompiled(real, wanted, before);
  const programmed = compiled.nodes
    .filter((node) => !before.nodes.includes(node))
    .map((plan): AgentStep => ({ kind: 'programmed', node: plan.node, plan }));
  for (const step of [...programmed, ...last]) await apply(step);
  return { plan: compiled, steps: [...first, ...programmed, ...last] };
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
