/** Whether each bridge holds exactly the flows, groups and meters it should. */
import { printActions } from '../openflow/actions/actions.js';
import { flowId, parseDumpedFlow, printFlow, type Flow } from '../openflow/flows/flow.js';
import { noNames, type Names } from '../openflow/syntax/form.js';
import { parseDumpedGroup } from '../openflow/groups/parse-group.js';
import { printGroup } from '../openflow/groups/print-group.js';
import { parseMeter, printMeter } from '../openflow/meters.js';
import { formatFlowId, type FlowId } from '../domain/switching.js';
import type { Count } from '../domain/verdict.js';
import { kindsOfTexts, textsOfBoth, type AlikeTexts, type BridgeProgram } from './alike-texts.js';
import { flowKey } from './compare-counters.js';

/** The identity of a group on a node. */
export interface GroupId {
  readonly node: string;
  readonly bridge: string;
  readonly group: number;
}

/** The identity of a meter on a node. */
export interface MeterId {
  readonly node: string;
  readonly bridge: string;
  readonly meter: number | string;
}

export interface ProgramDifference {
  readonly of: FlowId | GroupId | MeterId;
  /** The flow, group or meter as text; missing where that side does not have it. */
  readonly expected: string | undefined;
  readonly actual: string | undefined;
  /** The field that both flows write, first of those they write differently. */
  readonly field: string | undefined;
  /** What of a flow that both sides have differs: `cookie`, `idle_timeout`, `actions`. */
  readonly differs: readonly string[];
}

/** A difference in words. */
export function describeProgramDifference({
  of,
  expected,
  actual,
  differs,
}: Omit<ProgramDifference, 'field'>): {
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
} {
  const { name, kind } = describeEntry(of);
  const how = differs.length === 0 ? '' : `, in its ${differs.join(', ')}`;
  return {
    what: `${name}${how}`,
    expected: expected ?? `no such ${kind}`,
    actual: actual ?? `no such ${kind}`,
  };
}

function describeEntry(of: ProgramDifference['of']): {
  readonly name: string;
  readonly kind: string;
} {
  if ('group' in of) return { name: `group_id=${of.group}`, kind: 'group' };
  if ('meter' in of) return { name: `meter=${of.meter}`, kind: 'meter' };
  return { name: formatFlowId(of), kind: 'flow' };
}

/**
 * What was read before, by where it is and how it is written: who compares again and again reads
 * each once.
 */
export type ParseCache = Map<string, readonly [key: string, held: ParsedEntry]>;

export interface ProgramComparison {
  readonly differences: readonly ProgramDifference[];
  readonly count: Count;
}

/**
 * One comparison for each flow, group and meter of either side, in all that it is made of: of a
 * flow match, priority, actions, cookie, timeouts, importance and flags. Both sides as they print
 * themselves without names.
 */
export function compareProgram(
  expected: readonly BridgeProgram[],
  actual: readonly BridgeProgram[],
  cache: ParseCache = new Map(),
): ProgramComparison {
  const alike = textsOfBoth(expected, actual);
  const wanted = index(expected, cache, alike);
  const seen = index(actual, cache, alike);
  const keys = new Set([...wanted.keys(), ...seen.keys()]);
  const differences = [...keys].flatMap((key): readonly ProgramDifference[] => {
    const [a, b] = [wanted.get(key), seen.get(key)];
    const of = a?.of ?? b?.of;
    if (of === undefined || a?.text === b?.text) return [];
    const field = firstDifferingWrite(a?.flow, b?.flow);
    return [
      { of, expected: a?.text, actual: b?.text, field, differs: differingParts(a?.flow, b?.flow) },
    ];
  });
  const size = [...alike.values()].reduce((sum, texts) => sum + texts.size, keys.size);
  return { differences, count: { expected: size, made: size, skipped: 0 } };
}

/** How many comparisons there are with who holds the same: those of `compareProgram`. */
export function programSize(programs: readonly BridgeProgram[]): number {
  return compareProgram(programs, programs).count.expected;
}

/** By the names of ovs-ofctl(8), "Flow Syntax"; none where one side has no such flow. */
function differingParts(expected: Flow | undefined, actual: Flow | undefined): readonly string[] {
  if (expected === undefined || actual === undefined) return [];
  const parts = (flow: Flow): Readonly<Record<string, string>> => ({
    cookie: String(flow.cookie),
    idle_timeout: String(flow.idleTimeout),
    hard_timeout: String(flow.hardTimeout),
    importance: String(flow.importance),
    flags: flow.flags.join(' '),
    actions: printActions(flow.actions),
  });
  const [before, after] = [parts(expected), parts(actual)];
  return Object.keys(before).filter((part) => before[part] !== after[part]);
}

/**
 * Any option of a tunnel that a bridge may have: how wide each is matters to neither side, since
 * both are read alike.
 */
export const allOptionNames: Names = {
  ...noNames,
  tunnelOptions: new Map(
    Array.from({ length: 64 }, (_, option) => [option, { class: 0, type: 0, bytes: 124 }]),
  ),
};

interface ParsedEntry {
  readonly of: ProgramDifference['of'];
  /** Missing where it is a group or a meter. */
  readonly flow?: Flow;
  readonly text: string;
}

function firstDifferingWrite(
  expected: Flow | undefined,
  actual: Flow | undefined,
): string | undefined {
  const others = setActionsOf(actual);
  const pairs = setActionsOf(expected).map(
    (action, position) => [action, others[position]] as const,
  );
  const [found] = pairs.flatMap(([a, b]) =>
    a.kind === 'set' &&
    b?.kind === 'set' &&
    a.field === b.field &&
    (a.value !== b.value || a.mask !== b.mask)
      ? [a.field.name]
      : [],
  );
  return found;
}

/** A flow's actions, with those that it gives to the connection tracker in their place. */
function setActionsOf(flow: Flow | undefined): Flow['actions'] {
  return (flow?.actions ?? []).flatMap((action) =>
    action.kind === 'ct' ? [action, ...action.exec] : [action],
  );
}

type Entry = readonly [key: string, held: ParsedEntry];

const readers = { flows: readFlow, groups: readGroup, meters: readMeter } as const;

/** Of each but those `alike`, by what it is called. */
function index(
  programs: readonly BridgeProgram[],
  cache: ParseCache,
  alike: AlikeTexts,
): ReadonlyMap<string, ParsedEntry> {
  const found = new Map<string, ParsedEntry>();
  for (const { node, bridge, ...texts } of programs)
    for (const kind of kindsOfTexts) {
      const known = alike.get(`${node} ${bridge} ${kind}`);
      for (const [line, text] of texts[kind].entries())
        if (known?.has(text) !== true)
          found.set(
            ...parsedOnce(cache, `${node} ${bridge} ${text}`, () =>
              readers[kind](node, bridge, text, line + 1),
            ),
          );
    }
  return found;
}

function parsedOnce(cache: ParseCache, place: string, read: () => Entry): Entry {
  const held = cache.get(place) ?? read();
  cache.set(place, held);
  return held;
}

function readFlow(node: string, bridge: string, text: string, line: number): Entry {
  const place = { file: `flows of ${bridge} on ${node}`, line };
  const { flow } = parseDumpedFlow(text, allOptionNames, place);
  const of = flowId(node, bridge, flow);
  return [flowKey(of), { of, flow, text: printFlow(flow) }];
}

function readGroup(node: string, bridge: string, text: string, line: number): Entry {
  const group = parseDumpedGroup(text, allOptionNames, {
    file: `groups of ${bridge} on ${node}`,
    line,
  });
  const of = { node, bridge, group: group.id };
  return [`${node} ${bridge} group ${group.id}`, { of, text: printGroup(group) }];
}

function readMeter(node: string, bridge: string, text: string, line: number): Entry {
  const meter = parseMeter(text, { file: `meters of ${bridge} on ${node}`, line });
  const of = { node, bridge, meter: meter.id };
  return [
    `${node} ${bridge} meter ${meter.id}`,
    { of, text: printMeter(meter).replaceAll('\n', ' ') },
  ];
}
