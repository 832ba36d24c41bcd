/** What the model alone makes of one packet. */
import { buildNode } from '../model/node.js';
import { stateOf } from '../model/state.js';
import { receiveFrame } from '../model/switch.js';
import type { TraceStep } from '../model/trace.js';
import type { NodePlan } from '../nouns/plan.js';
import type { SwitchState } from '../nouns/state.js';
import { formatFlowId, type FlowId } from '../nouns/switching.js';
import { printActions } from '../openflow/actions.js';
import { parseBridgeFlows } from '../openflow/bridge-program.js';
import { flowId } from '../openflow/flow.js';
import { findPort } from './switch.js';

export interface TraceResult {
  /** The tables that were looked up, in order. */
  readonly path: readonly TracedLookup[];
  /** The frames that came out, sorted by port; frames of one port in order. */
  readonly outputs: readonly { readonly port: string; readonly frame: Uint8Array }[];
  /** What the switch remembers of it. */
  readonly state: SwitchState;
}

export interface TracedLookup {
  readonly bridge: string;
  readonly table: number;
  /** Missing where no flow matched. */
  readonly flow?: { readonly id: FlowId; readonly actions: string };
  /** What came of it, in order: fields written, ports sent to, and why the packet ended. */
  readonly effects: readonly Exclude<TraceStep, { readonly kind: 'lookup' }>[];
}

/**
 * Sends `frame` into the port of that name, or of that number where it has none.
 * @throws Unsupported when a flow on the way does something that the model does not know; InputError for a port that is not there.
 */
export function tracePacket(plan: NodePlan, port: string, frame: Uint8Array): TraceResult {
  const node = buildNode(plan);
  const { step, trace } = receiveFrame(node, findPort(plan, port), frame);
  return { path: pathOf(trace.steps, actionsOf(plan)), outputs: step.outputs, state: stateOf(node) };
}

function pathOf(steps: readonly TraceStep[], actions: ReadonlyMap<string, string>): readonly TracedLookup[] {
  const path: { readonly lookup: TracedLookup; readonly effects: Exclude<TraceStep, { kind: 'lookup' }>[] }[] = [];
  for (const step of steps) {
    if (step.kind === 'lookup') {
      const flow = step.flow === undefined ? {} : { flow: { id: step.flow, actions: actions.get(keyOf(step.flow)) ?? '' } };
      const effects: Exclude<TraceStep, { kind: 'lookup' }>[] = [];
      path.push({ lookup: { bridge: step.bridge, table: step.table, ...flow, effects }, effects });
      continue;
    }
    // What a flow does after a table that it resubmitted to still belongs to it.
    const by = step.flow;
    (by === undefined ? path.at(-1) : path.findLast(({ lookup }) => lookup.flow !== undefined && keyOf(lookup.flow.id) === keyOf(by)))?.effects.push(step);
  }
  return path.map(({ lookup }) => lookup);
}

function actionsOf(plan: NodePlan): ReadonlyMap<string, string> {
  return new Map(plan.bridges.flatMap((bridge) => parseBridgeFlows(plan.node, bridge).map((flow) => [keyOf(flowId(plan.node, bridge.name, flow)), printActions(flow.actions)] as const)));
}

function keyOf(id: FlowId): string {
  return `${id.bridge} ${formatFlowId(id)}`;
}
