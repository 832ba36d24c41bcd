/** One event of a timeline: applied to both sides, then their programs are compared. */
import { type TimelineEvent, describeStep } from '../../domain/timeline.js';
import type { Difference } from '../../domain/verdict.js';
import { type TimelineRun, type StepJudgement, verdictFrom } from './timeline-run.js';
import { comparePrograms } from './compare-programs.js';
import { applyEvent, type AgentState } from './agent-state.js';
import { applyThroughOvn } from './apply-through-ovn.js';
import type { AgentStep } from '../../control/agent-steps.js';
import { leftWrongIn } from '../judging/left-wrong.js';
import { oracleFrom } from '../../lockstep/oracle.js';
import { afterEvent } from '../../intent/over-time/promise-state.js';
import { forgetHostsOutside } from '../../fabric/stack/host.js';

export function unexpectedFrameDuring(
  event: TimelineEvent,
  node: string,
  port: string,
): Difference {
  return {
    aspect: 'silence',
    between: 'model and switch',
    summary: `a frame came out of ${port} on ${node} while ${describeStep(event)}`,
    expected: 'nothing',
    actual: 'a frame',
    afterDivergence: false,
  };
}

export function unsweptAfter(
  unsweptNodes: ReadonlySet<string>,
  event: TimelineEvent,
): ReadonlySet<string> {
  if (event.kind === 'agent restarts') return new Set([...unsweptNodes, event.node]);
  return event.kind === 'agent sweeps'
    ? new Set([...unsweptNodes].filter((node) => node !== event.node))
    : unsweptNodes;
}

export async function judgeEvent(run: TimelineRun, event: TimelineEvent): Promise<StepJudgement> {
  const { model, real, memories } = run;
  const unexpectedFrames: Difference[] = [];
  const apply = async (step: AgentStep) => {
    if (step.kind !== 'change') {
      await model.reconfigure(step);
      await real.reconfigure(step);
      return;
    }
    await model.call([step], oracleFrom(real));
    const [seen] = await real.call([step]);
    unexpectedFrames.push(
      ...(seen?.outputs ?? []).map(({ port }) => unexpectedFrameDuring(event, step.node, port)),
    );
  };
  const { steps, appliedSteps, ...agentState } = await applied(run, event, apply);
  run.agentState = agentState;
  run.promiseState = afterEvent(run.promiseState, event);
  run.unsweptNodes = unsweptAfter(run.unsweptNodes, event);
  for (const memory of [memories.model, memories.real]) forgetHostsOutside(memory, agentState.plan);
  const { differences, counts } = await comparePrograms(
    run,
    new Set(steps.map(({ node }) => node)),
  );
  return {
    ...verdictFrom([...unexpectedFrames, ...leftWrongIn(agentState.plan), ...differences], counts),
    done: { steps: appliedSteps, topology: agentState.agentViews.cluster, plan: agentState.plan },
  };
}

interface AppliedEvent extends AgentState {
  /** What agents should do, and what they have done. */
  readonly steps: readonly AgentStep[];
  readonly appliedSteps: readonly AgentStep[];
}

async function applied(
  { agentState, context, real, promiseState: { unprogrammed } }: TimelineRun,
  event: TimelineEvent,
  apply: (step: AgentStep) => Promise<void>,
): Promise<AppliedEvent> {
  if (agentState.plan.northbound !== undefined) {
    const through = { controlPlane: context.controlPlane, real, unprogrammed };
    const done = await applyThroughOvn(through, agentState, event, apply);
    return { ...done, appliedSteps: done.steps };
  }
  const { steps, ...after } = applyEvent(context.controlPlane, agentState, event);
  const appliedSteps = context.faulty?.(steps, event) ?? steps;
  for (const step of appliedSteps) await apply(step);
  return { ...after, steps, appliedSteps };
}
