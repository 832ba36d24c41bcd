/**
 * The order in which a flow copies a packet to the ports of a group, or to several tunnels: OVN
 * goes by the UUIDs of rows, which are made up each time. Each copy leaves by a port of its own, so
 * that the order shows nowhere, and an order of our own stands for all of them.
 */

import { split, span } from '../openflow/syntax/text.js';

/** The flow, with copies that follow one another in order. */
export function sortCopies(flow: string): string {
  const [head, actions] = splitAtActions(flow);
  if (actions === undefined || !several.test(actions)) return flow;
  const units = copiesIn(actions);
  const sorted: string[] = [];
  for (let first = 0; first < units.length; ) {
    const shape = shapeOf(units[first + 1] ?? '');
    const lead = leadBefore(units[first] ?? '', shape);
    let end = first + 1;
    while (lead !== undefined && end < units.length && shapeOf(units[end] ?? '') === shape) end++;
    const copies = units.slice(first, end);
    if (lead === undefined || end === first + 1) sorted.push(...copies);
    else {
      const [one = '', ...others] = copies;
      const ordered = [one.slice(lead.length), ...others].sort();
      sorted.push(`${lead}${ordered[0] ?? ''}`, ...ordered.slice(1));
    }
    first = end;
  }
  return `${head}${sorted.join(',')}`;
}

/** Most flows send a packet to one place. */
const several = /(?:resubmit\(|output:).*(?:resubmit\(|output:)/;

function splitAtActions(flow: string): readonly [head: string, actions: string | undefined] {
  const place = flow.indexOf('actions=');
  if (place < 0) return [flow, undefined];
  const from = place + 'actions='.length;
  return [flow.slice(0, from), flow.slice(from)];
}

/** Actions in groups, each of which ends with one that sends the packet somewhere. */
function copiesIn(actions: string): readonly string[] {
  const units: string[] = [];
  let unit: string[] = [];
  for (const action of topLevel(actions)) {
    unit.push(action);
    if (!/^(resubmit\(|output:)/.test(action)) continue;
    units.push(unit.join(','));
    unit = [];
  }
  return unit.length === 0 ? units : [...units, unit.join(',')];
}

/** Split at the commas that are in no parentheses. */
function topLevel(actions: string): readonly string[] {
  return split(span(actions, { file: 'actions' }), /,/).map(({ text }) => text);
}

/**
 * What two copies share: all but the values that are set and the ports of outputs. Copies go to one
 * table, and who continues in another one does so behind them.
 */
function shapeOf(unit: string): string {
  return unit.replace(/set_field:[^>]*->/g, 'set_field:#->').replace(/output:\d+/g, 'output:#');
}

/** What stands before the first copy in its unit; undefined where the unit ends with no copy. */
function leadBefore(unit: string, shape: string): string | undefined {
  if (!/(resubmit\(,\d+\)|output:#)$/.test(shape)) return undefined;
  if (shapeOf(unit) === shape) return '';
  const parts = topLevel(unit);
  const count = topLevel(shape).length;
  const tail = parts.slice(-count).join(',');
  return parts.length > count && shapeOf(tail) === shape
    ? `${parts.slice(0, -count).join(',')},`
    : undefined;
}
