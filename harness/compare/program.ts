/** Whether each bridge holds exactly the flows it should. */
import { flowId, parseFlow, printFlow, type Flow } from '../openflow/flow.js';
import type { FlowId } from '../nouns/switching.js';
import type { Count } from '../nouns/verdict.js';
import { flowKey } from './counters.js';

export interface BridgeProgram {
  readonly node: string;
  readonly bridge: string;
  readonly flows: readonly string[];
}

export interface ProgramDifference {
  readonly flow: FlowId;
  /** The flow as text; missing where that side does not have it. */
  readonly expected: string | undefined;
  readonly actual: string | undefined;
}

/** One comparison a flow of either side. Both sides as the flows print themselves without names. */
export function compareProgram(expected: readonly BridgeProgram[], actual: readonly BridgeProgram[]): { readonly differences: readonly ProgramDifference[]; readonly count: Count } {
  const wanted = index(expected);
  const seen = index(actual);
  const keys = new Set([...wanted.keys(), ...seen.keys()]);
  const differences = [...keys].flatMap((key) => {
    const [a, b] = [wanted.get(key), seen.get(key)];
    const flow = a?.id ?? b?.id;
    return flow === undefined || a?.text === b?.text ? [] : [{ flow, expected: a?.text, actual: b?.text }];
  });
  return { differences, count: { expected: keys.size, made: keys.size, skipped: 0 } };
}

function index(programs: readonly BridgeProgram[]): ReadonlyMap<string, { readonly id: FlowId; readonly text: string }> {
  return new Map(
    programs.flatMap(({ node, bridge, flows }) =>
      flows.map((text, line) => {
        const flow: Flow = parseFlow(text, new Map(), { file: `flows of ${bridge} on ${node}`, line: line + 1 });
        const id = flowId(node, bridge, flow);
        return [flowKey(id), { id, text: printFlow(flow) }] as const;
      }),
    ),
  );
}
