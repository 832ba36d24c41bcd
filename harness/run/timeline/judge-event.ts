/** One event of a timeline: applied to both sides, then their programs are compared. */
import { type TimelineEvent, describeStep } from '../../domain/timeline.js';
import type { Difference } from '../../domain/verdict.js';
import { type TimelineRun, type StepJudgement, verdictFrom } from './timeline-run.js';
import { comparePrograms } from './compare-programs.js';
import { applyEvent } from './agent-state.js';
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
  const { model, real, memories, context } = run;
  const { steps, ...agentState } = applyEvent(context.controlPlane, run.agentState, event);
  const unexpectedFrames: Difference[] = [];
  const appliedSteps = context.faulty?.(steps, event) ?? steps;
  for (const step of appliedSteps) {
    if (step.kind !== 'change') {
      await model.reconfigure(step);
      await real.reconfigure(step);
      continue;
    }
    await model.call([step], oracleFrom(real));
    const [seen] = await real.call([step]);
    unexpectedFrames.push(
      ...(seen?.outputs ?? []).map(({ port }) => unexpectedFrameDuring(event, step.node, port)),
    );
  }
  run.agentState = agentState;
  run.promiseState = afterEvent(run.promiseState, event);
  run.unsweptNodes = unsweptAfter(run.unsweptNodes, event);
  for (const memory of [memories.model, memories.real]) forgetHostsOutside(memory, agentState.plan);
  const { differences, counts } = await comparePrograms(
    run,
    new Set(steps.map(({ node }) => node)),
  );
  return {
    ...verdictFrom([...unexpectedFrames, ...differences], counts),
    done: { steps: appliedSteps, topology: agentState.agentViews.cluster, plan: agentState.plan },
  };
}
