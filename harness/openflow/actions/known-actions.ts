/**
 * Actions that were read before: flows of one table mostly do the same, and differ in addresses,
 * ports and registers that they match, which decide nothing about what actions may follow.
 */
import { oncePer } from '../../base/once-per.js';
import type { Field } from '../match/fields.js';
import type { Match } from '../match/match.js';
import type { Span } from '../syntax/text.js';
import { parseActions, type Action, type ActionsContext } from './actions.js';

/** Reads actions as `parseActions` does, each text once for each kind of packets. */
export type ActionsReader = (at: Span, context: ActionsContext) => readonly Action[];

/** Fields of a match that no action asks about, however they are matched. */
const decidesNothing =
  /^(in_port|metadata|x*reg\d+|eth_src|eth_dst|ip_src|ip_dst|ipv6_src|ipv6_dst|arp_[a-z]+|(tcp|udp|sctp)_(src|dst)|conj_id|tun_id|tun_src|tun_dst|ct_(mark|label|zone))$/;

/** More would cost more memory than they save time. */
const mostTexts = 50_000;

/** @returns a reader whose actions must not be read with other names of ports and tables. */
export function actionsReader(): ActionsReader {
  const known = new Map<string, readonly Action[]>();
  return (at, context) => {
    const key = `${context.table} ${context.protocol} ${shapeOf(context.match)} ${at.text}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const actions = parseActions(at, context);
    if (known.size < mostTexts) known.set(key, actions);
    return actions;
  };
}

const decides = oncePer((field: Field) => !decidesNothing.test(field.name));

function shapeOf(match: Match): string {
  let shape = '';
  for (const { field, value, mask } of match)
    if (decides(field)) shape += `${field.name}=${value}/${mask},`;
  return shape;
}
