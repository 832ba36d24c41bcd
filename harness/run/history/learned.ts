/** Flows that packets have made switches learn stand beside those that agents gave them. */
import { namesOfAll } from '../../compare/program.js';
import { parseFlow } from '../../openflow/flow.js';
import type { HeldProgram } from '../../testbeds/testbed.js';

/**
 * What a fresh install has, and of what the model has on the same bridges what that may have
 * learned: flows of the table and the cookie of one of its `learn` actions. What another program
 * has learned is not among them: it goes with the flow that learned it (ovs-actions(7), "learn",
 * delete_learned).
 */
export function withLearned(
  fresh: readonly HeldProgram[],
  model: readonly HeldProgram[],
): readonly HeldProgram[] {
  return fresh.map((program) => {
    const places = placesLearned(program.flows);
    if (places.size === 0) return program;
    const held =
      model.find(({ node, bridge }) => node === program.node && bridge === program.bridge)?.flows ??
      [];
    const own = new Set(program.flows);
    return {
      ...program,
      flows: [
        ...program.flows,
        ...held.filter((text) => !own.has(text) && places.has(placeOf(text))),
      ],
    };
  });
}

function placesLearned(flows: readonly string[]): ReadonlySet<string> {
  const learning = flows.filter((text) => text.includes('learn('));
  return new Set(
    learning.flatMap((text) =>
      parseFlow(text, namesOfAll).actions.flatMap((action) =>
        action.kind === 'learn' ? [`${action.table} ${action.cookie}`] : [],
      ),
    ),
  );
}

function placeOf(text: string): string {
  const { table, cookie } = parseFlow(text, namesOfAll);
  return `${table} ${cookie}`;
}
