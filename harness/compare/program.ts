/** Whether each bridge holds exactly the flows it should. */
import { flowId, parseFlow, printFlow, type Flow } from '../openflow/flow.js';
import { noNames, type Names } from '../openflow/form.js';
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
  /** The field that both write, first of those they write differently. */
  readonly field: string | undefined;
}

/** Flows that were read before, by where they are and how they are written: who compares again and again reads each once. */
export type KnownFlows = Map<string, readonly [key: string, held: Held]>;

/** One comparison a flow of either side. Both sides as the flows print themselves without names; cookies are the controller's own business. */
export function compareProgram(expected: readonly BridgeProgram[], actual: readonly BridgeProgram[], known: KnownFlows = new Map()): { readonly differences: readonly ProgramDifference[]; readonly count: Count } {
  const wanted = index(expected, known);
  const seen = index(actual, known);
  const keys = new Set([...wanted.keys(), ...seen.keys()]);
  const differences = [...keys].flatMap((key) => {
    const [a, b] = [wanted.get(key), seen.get(key)];
    const id = a?.id ?? b?.id;
    return id === undefined || a?.text === b?.text ? [] : [{ flow: id, expected: a?.text, actual: b?.text, field: writtenDifferently(a?.flow, b?.flow) }];
  });
  return { differences, count: { expected: keys.size, made: keys.size, skipped: 0 } };
}

/** Any option of a tunnel that a bridge may have: how wide each is matters to neither side, since both are read alike. */
const names: Names = { ...noNames, tunnelOptions: new Map(Array.from({ length: 64 }, (_, option) => [option, { class: 0, type: 0, bytes: 124 }])) };

interface Held {
  readonly id: FlowId;
  readonly flow: Flow;
  readonly text: string;
}

function writtenDifferently(expected: Flow | undefined, actual: Flow | undefined): string | undefined {
  const others = writesOf(actual);
  const pairs = writesOf(expected).map((action, position) => [action, others[position]] as const);
  const [found] = pairs.flatMap(([a, b]) =>
    a.kind === 'set' && b?.kind === 'set' && a.field === b.field && (a.value !== b.value || a.mask !== b.mask) ? [a.field.name] : [],
  );
  return found;
}

/** A flow's actions, with those that it gives to the connection tracker in their place. */
function writesOf(flow: Flow | undefined): Flow['actions'] {
  return (flow?.actions ?? []).flatMap((action) => (action.kind === 'ct' ? [action, ...action.exec] : [action]));
}

function index(programs: readonly BridgeProgram[], known: KnownFlows): ReadonlyMap<string, Held> {
  return new Map(
    programs.flatMap(({ node, bridge, flows }) =>
      flows.map((text, line) => {
        const place = `${node} ${bridge} ${text}`;
        const held = known.get(place) ?? read(node, bridge, text, line + 1);
        known.set(place, held);
        return held;
      }),
    ),
  );
}

function read(node: string, bridge: string, text: string, line: number): readonly [key: string, held: Held] {
  const flow: Flow = { ...parseFlow(text, names, { file: `flows of ${bridge} on ${node}`, line }), cookie: 0n };
  const id = flowId(node, bridge, flow);
  return [flowKey(id), { id, flow, text: printFlow(flow) }];
}
