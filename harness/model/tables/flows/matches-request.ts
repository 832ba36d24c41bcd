/** Which flows a change is about (OpenFlow 1.5, section 7.3.4.6). */
import type { Flow } from '../../../openflow/flows/flow.js';
import type { Match } from '../../../openflow/match/match.js';
import type { FieldMatch } from '../../../openflow/match/field-match.js';
import type { FlowRequest } from '../../../openflow/flows/flow-request.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import { flattened } from './edit-flows.js';

/**
 * Whether the flow is in the table, has the cookie, sends where it is asked to, and matches no
 * other packets than those asked for.
 */
export function matchesRequest(
  flow: Flow,
  { table, cookie, outPort, outGroup, match }: FlowRequest,
): boolean {
  const isThere =
    (table === undefined || table === flow.table) &&
    ((flow.cookie ^ cookie.value) & cookie.mask) === 0n;
  return (
    isThere &&
    covers(match, flow.match) &&
    (outPort === undefined || sendsTo(flow, outPort)) &&
    (outGroup === undefined || usesGroup(flow, outGroup))
  );
}

/** Whether all packets that `narrow` lets through are let through by `wide`, field by field. */
export function covers(wide: Match, narrow: Match): boolean {
  return wide.every((asked) => {
    const own = entryOf(narrow, asked);
    return (
      own !== undefined &&
      (own.mask & asked.mask) === asked.mask &&
      ((own.value ^ asked.value) & asked.mask) === 0n
    );
  });
}

/** Whether a packet may match both, judging by the fields that both ask for. */
export function overlap(one: Match, other: Match): boolean {
  return one.every((asked) => {
    const own = entryOf(other, asked);
    return own === undefined || ((own.value ^ asked.value) & own.mask & asked.mask) === 0n;
  });
}

function entryOf(match: Match, { field }: FieldMatch): FieldMatch | undefined {
  return match.find((entry) => entry.field === field);
}

/**
 * By an action of its own for that: a field's value, a bundle or a copy that is cut off does not
 * count.
 */
function sendsTo({ actions }: Flow, port: number): boolean {
  return flattened(actions).some(
    (action) =>
      ((action.kind === 'output' || action.kind === 'enqueue') && action.port === port) ||
      (action.kind === 'controller' && port === reservedPorts.CONTROLLER),
  );
}

export function usesGroup({ actions }: Flow, group: number): boolean {
  return flattened(actions).some((action) => action.kind === 'group' && action.group === group);
}
