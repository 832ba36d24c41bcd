/** Whether each bridge holds exactly the flows and groups it should. */
import { flowId, parseFlow, printFlow, type Flow } from '../openflow/flow.js';
import { noNames, type Names } from '../openflow/form.js';
import { parseDumpedGroup, printGroup } from '../openflow/groups.js';
import { formatFlowId, type FlowId } from '../nouns/switching.js';
import type { Count } from '../nouns/verdict.js';
import { flowKey } from './counters.js';

export interface BridgeProgram {
  readonly node: string;
  readonly bridge: string;
  readonly flows: readonly string[];
  readonly groups: readonly string[];
}

/** The identity of a group on a node. */
export interface GroupId {
  readonly node: string;
  readonly bridge: string;
  readonly group: number;
}

export interface ProgramDifference {
  readonly of: FlowId | GroupId;
  /** The flow or group as text; missing where that side does not have it. */
  readonly expected: string | undefined;
  readonly actual: string | undefined;
  /** The field that both flows write, first of those they write differently. */
  readonly field: string | undefined;
}

/** A difference in words. */
export function toldOf({ of, expected, actual }: ProgramDifference): { readonly what: string; readonly expected: string; readonly actual: string } {
  const [what, none] = 'group' in of ? [`group_id=${of.group}`, 'no such group'] : [formatFlowId(of), 'no such flow'];
  return { what, expected: expected ?? none, actual: actual ?? none };
}

/** What was read before, by where it is and how it is written: who compares again and again reads each once. */
export type KnownTexts = Map<string, readonly [key: string, held: Held]>;

/** One comparison for each flow and each group of either side. Both sides as they print themselves without names; cookies are the controller's own business. */
export function compareProgram(expected: readonly BridgeProgram[], actual: readonly BridgeProgram[], known: KnownTexts = new Map()): { readonly differences: readonly ProgramDifference[]; readonly count: Count } {
  const wanted = index(expected, known);
  const seen = index(actual, known);
  const keys = new Set([...wanted.keys(), ...seen.keys()]);
  const differences = [...keys].flatMap((key): readonly ProgramDifference[] => {
    const [a, b] = [wanted.get(key), seen.get(key)];
    const of = a?.of ?? b?.of;
    return of === undefined || a?.text === b?.text ? [] : [{ of, expected: a?.text, actual: b?.text, field: writtenDifferently(a?.flow, b?.flow) }];
  });
  return { differences, count: { expected: keys.size, made: keys.size, skipped: 0 } };
}

/** Any option of a tunnel that a bridge may have: how wide each is matters to neither side, since both are read alike. */
export const namesOfAll: Names = { ...noNames, tunnelOptions: new Map(Array.from({ length: 64 }, (_, option) => [option, { class: 0, type: 0, bytes: 124 }])) };

interface Held {
  readonly of: FlowId | GroupId;
  /** Missing where it is a group. */
  readonly flow?: Flow;
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

function index(programs: readonly BridgeProgram[], known: KnownTexts): ReadonlyMap<string, Held> {
  return new Map(
    programs.flatMap(({ node, bridge, flows, groups }) => [
      ...flows.map((text, line) => remembered(known, `${node} ${bridge} ${text}`, () => readFlow(node, bridge, text, line + 1))),
      ...groups.map((text, line) => remembered(known, `${node} ${bridge} ${text}`, () => readGroup(node, bridge, text, line + 1))),
    ]),
  );
}

function remembered(known: KnownTexts, place: string, read: () => readonly [key: string, held: Held]): readonly [key: string, held: Held] {
  const held = known.get(place) ?? read();
  known.set(place, held);
  return held;
}

function readFlow(node: string, bridge: string, text: string, line: number): readonly [key: string, held: Held] {
  const flow: Flow = { ...parseFlow(text, namesOfAll, { file: `flows of ${bridge} on ${node}`, line }), cookie: 0n };
  const of = flowId(node, bridge, flow);
  return [flowKey(of), { of, flow, text: printFlow(flow) }];
}

function readGroup(node: string, bridge: string, text: string, line: number): readonly [key: string, held: Held] {
  const group = parseDumpedGroup(text, namesOfAll, { file: `groups of ${bridge} on ${node}`, line });
  return [`${node} ${bridge} group ${group.id}`, { of: { node, bridge, group: group.id }, text: printGroup(group) }];
}
