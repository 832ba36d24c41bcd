/** What packets have beside what FLOW says of them. */
import type { FieldMatch } from '../openflow/match/field-match.js';
import type { Match } from '../openflow/match/match.js';
import { word, type FlowKey } from '../packet/flow-key/flow-key.js';
import { etherTypes } from '../packet/protocols/link/ethernet.js';

/** No Next Header (RFC 8200, section 4.7). */
const nothingFollows = 59;

/** What FLOW does not say, and no packet is without. */
export interface Completion {
  readonly text: string;
  readonly note: string;
}

/**
 * Writes a protocol into the key of a packet of IPv6 without one: zero is none, but the type of a
 * header that comes before one.
 */
export function withProtocol(key: FlowKey, asked: Match): { readonly completion?: Completion } {
  if (key[word.ethType] !== etherTypes.ipv6 || key[word.nwProto] !== 0) return {};
  if (asked.some(({ field }) => field.name === 'nw_proto')) return {};
  key[word.nwProto] = nothingFollows;
  return {
    completion: {
      text: `nw_proto=${nothingFollows}`,
      note:
        'FLOW names no protocol of IPv6, and every packet has one: here nothing follows ' +
        `(nw_proto=${nothingFollows})`,
    },
  };
}

/** An option without a value is there, and zero; one with a value has all of it. */
export function wholeOption({ field, value, mask }: FieldMatch): FieldMatch {
  return field.notation === 'option' && (mask === 0n || mask === field.ones || mask > field.ones)
    ? { field, value, mask: field.ones }
    : { field, value, mask };
}
