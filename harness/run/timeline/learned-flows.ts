/** Flows that packets have made switches learn stand beside those that agents gave them. */
import { allOptionNames } from '../../compare/compare-program.js';
import { parseFlow } from '../../openflow/flows/flow.js';
import type { DumpedProgram } from '../../testbeds/testbed.js';

/**
 * What a fresh install has, and of what the model has on the same bridges what that may have
 * learned: flows of the table and the cookie of one of its `learn` actions. What another program
 * has learned is not among them: it goes with the flow that learned it (ovs-actions(7), "learn",
 * delete_learned).
 */
export function withLearnedFlows(
  fresh: readonly DumpedProgram[],
  model: readonly DumpedProgram[],
): readonly DumpedProgram[] {
  return fresh.map((program) => {
    const targets = learnTargets(program.flows);
    if (targets.size === 0) return program;
    const held =
      model.find(({ node, bridge }) => node === program.node && bridge === program.bridge)?.flows ??
      [];
    const own = new Set(program.flows);
    return {
      ...program,
      flows: [
        ...program.flows,
        ...held.filter((text) => !own.has(text) && targets.has(learnTargetOf(text))),
      ],
    };
  });
}

function learnTargets(flows: readonly string[]): ReadonlySet<string> {
  const learning = flows.filter((text) => text.includes('learn('));
  return new Set(
    learning.flatMap((text) =>
      parseFlow(text, allOptionNames).actions.flatMap((action) =>
        action.kind === 'learn' ? [`${action.table} ${action.cookie}`] : [],
      ),
    ),
  );
}

function learnTargetOf(text: string): string {
  const { table, cookie } = parseFlow(text, allOptionNames);
  return `${table} ${cookie}`;
}
