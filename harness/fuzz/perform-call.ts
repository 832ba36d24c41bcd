import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { SwitchCall, SwitchStep } from '../domain/switching.js';
import { uplinks, nodeOf } from './fuzz-network.js';

/**
 * Frames between the nodes that a packet leads to, at most: flows may send it back and forth for
 * ever.
 */
const mostCrossings = 16;

async function inTurn(
  calls: readonly SwitchCall[],
  perform: (call: SwitchCall) => Promise<SwitchStep>,
): Promise<readonly SwitchStep[]> {
  const steps: SwitchStep[] = [];
  for (const call of calls) steps.push(await perform(call));
  return steps;
}

/** Frames that come out of one port stay in their order. */
function joined(steps: readonly SwitchStep[]): SwitchStep {
  return {
    outputs: steps.flatMap(({ outputs }) => outputs),
    packetIns: steps.flatMap(({ packetIns = [] }) => packetIns),
  };
}

/**
 * Carries a call out on the node that it is for, time and flushes on all; what leaves for the
 * network comes in at the other node.
 */
export async function performCall(
  call: SwitchCall,
  { nodes }: ClusterPlan,
  perform: (call: SwitchCall) => Promise<SwitchStep>,
): Promise<SwitchStep> {
  if (call.kind === 'advance' || call.kind === 'flush')
    return joined(
      await inTurn(
        nodes.map(({ node: name }) => ({ ...call, node: name })),
        perform,
      ),
    );
  const steps = [await perform(call)];
  for (let next = 0, crossed = 0; next < steps.length; next++) {
    for (const { port, frame } of steps[next]?.outputs ?? []) {
      const at = uplinks.findIndex((uplink) => uplink === port);
      if (at < 0 || nodes.length === 1 || crossed++ >= mostCrossings) continue;
      const into = uplinks[1 - at] ?? '';
      steps.push(
        await perform({ kind: 'receive', node: nodeOf(into), port: into, frames: [frame] }),
      );
    }
  }
  return joined(steps);
}
