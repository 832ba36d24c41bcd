/**
 * Changes of a bridge's flows and groups, as `ovs-ofctl bundle` reads them (ovs-ofctl(8), "flow
 * format in bundles"; here `-O OpenFlow15`).
 */
import { parseFlow, type Flow } from './flow.js';
import { noNames, type Names } from '../syntax/form.js';
import { parseGroupChange } from '../groups/parse-group-change.js';
import type { GroupChange } from '../groups/group.js';
import { parseFlowRequest, type FlowRequest } from './flow-request.js';
import { complain, part, shorten, span, split } from '../syntax/text.js';

export type FlowChange =
  | { readonly kind: 'add'; readonly flow: Flow }
  /**
   * New actions for the flows that are meant; all else of them stays. OpenFlow 1.2 and later make
   * no flow where there is none.
   */
  | {
      readonly kind: 'modify' | 'modify_strict';
      readonly request: FlowRequest;
      readonly flow: Flow;
    }
  | { readonly kind: 'delete' | 'delete_strict'; readonly request: FlowRequest };

export type BridgeChange =
  | { readonly of: 'flow'; readonly change: FlowChange }
  | { readonly of: 'group'; readonly change: GroupChange };

/**
 * Reads lines such as `flow add table=1,ip,actions=output:2`, `flow delete_strict priority=5,ip`,
 * `group delete group_id=7`; `add` may be left out, blank lines and what follows # say nothing.
 * @throws InputError with file, line and column.
 */
export function parseChanges(
  lines: readonly string[],
  names: Names = noNames,
  file = 'changes',
): readonly BridgeChange[] {
  return lines.flatMap((line, index) => {
    const text = line.replace(/#.*/, '');
    return text.trim() === '' ? [] : [parseChange(text, names, { file, line: index + 1 })];
  });
}

interface LinePlace {
  readonly file: string;
  readonly line: number;
}

function parseChange(text: string, names: Names, place: LinePlace): BridgeChange {
  const [, before = '', of] = /^(\s*(flow|group)(?=[,\s]|$))/.exec(text) ?? [];
  // What was read is blanked, so that complaints name the column that the writer sees.
  const rest = text.replace(before, ' '.repeat(before.length));
  if (of === 'flow') return { of, change: parseFlowChange(rest, names, place) };
  if (of === 'group') return { of, change: parseGroupChange(rest, names, place) };
  throw complain(
    span(text, { ...place, column: 1 }),
    `expected "flow …" or "group …", got "${shorten(text.trim())}"`,
  );
}

/**
 * Reads one: `delete table=1`, `modify cookie=0x1/-1,ip,actions=drop`. @throws InputError with
 * file, line and column.
 */
export function parseFlowChange(
  text: string,
  names: Names = noNames,
  place: LinePlace = { file: 'flow', line: 1 },
): FlowChange {
  const [, before = '', kind = 'add'] =
    /^(\s*(add|modify_strict|modify|delete_strict|delete)(?=[,\s]|$))/.exec(text) ?? [];
  const rest = text.replace(before, ' '.repeat(before.length));
  switch (kind) {
    case 'modify':
    case 'modify_strict':
      return parseModify(kind, rest, names, place);
    case 'delete':
    case 'delete_strict':
      checkDelete(kind, rest, place);
      return {
        kind,
        request: {
          ...parseFlowRequest(rest, names, place),
          ...(kind === 'delete_strict' && !/\bpriority\s*=/.test(rest)
            ? { priority: defaultPriority }
            : {}),
        },
      };
    default:
      return { kind: 'add', flow: parseFlow(rest, names, place) };
  }
}

const defaultPriority = 32768;

/**
 * A cookie with a mask is asked for; one without would be set, which OpenFlow 1.2 and later do not
 * do.
 */
const askedCookie = /(^|[\s,])cookie\s*=\s*[^,\s/]+\/[^,\s]+/;

function parseModify(
  kind: 'modify' | 'modify_strict',
  text: string,
  names: Names,
  place: LinePlace,
): FlowChange {
  const actionsAt = /(^|[\s,])actions\s*=/.exec(text)?.index ?? text.length;
  const [asked] = askedCookie.exec(text.slice(0, actionsAt)) ?? [];
  const flow = parseFlow(
    asked === undefined ? text : text.replace(asked, ' '.repeat(asked.length)),
    names,
    place,
  );
  const { cookie } = parseFlowRequest(asked ?? '', names, place);
  const { table, match, priority } = flow;
  return {
    kind,
    flow,
    request: { match, cookie, table, ...(kind === 'modify_strict' ? { priority } : {}) },
  };
}

function checkDelete(kind: 'delete' | 'delete_strict', text: string, place: LinePlace): void {
  const pieces = split(part(span(text, { ...place, column: 1 }), 0), /[,\s]/);
  const priority = pieces.find((piece) => piece.text.startsWith('priority='));
  if (kind === 'delete' && priority !== undefined)
    throw complain(priority, 'priority is for delete_strict');
  const cookie = pieces.find((piece) => /^cookie=[^/]*$/.test(piece.text));
  if (cookie !== undefined)
    throw complain(
      cookie,
      `flows are not deleted with a cookie to be set: to ask for one say ${cookie.text}/-1`,
    );
}
