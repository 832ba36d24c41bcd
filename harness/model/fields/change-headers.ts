/**
 * Headers that actions push and pop, and whose TTL they lower (ovs-actions(7), "Header Modification
 * Actions").
 */
import { assertNever } from '../../base/errors/errors.js';
import type { Action, HeaderAction, SetAction } from '../../openflow/actions/action.js';
import { isPlain } from '../../openflow/actions/kinds/output-actions.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { popMpls, popVlan, pushMpls, pushVlan } from '../../packet/flow-key/push-pop-headers.js';
import { countLabels, countTags, isMpls, tagged, word } from '../../packet/flow-key/flow-key.js';
import type { Packet } from '../packet/packet.js';
import { commit } from '../packet/commit-packet.js';

/** All but dec_ttl, which is about IP. */
export type HeaderChange = Exclude<HeaderAction, { readonly kind: 'dec_ttl' }>;

/**
 * `expired`: a packet whose label has no TTL left, or that has none, ends the actions of its flow;
 * `too many labels`: a packet that Open vSwitch's keys have no room for goes nowhere at all, not
 * even where it was sent before.
 */
export type HeaderResult = 'done' | 'expired' | 'too many labels';

export function changeHeaders(packet: Packet, action: HeaderChange): HeaderResult {
  const { key } = packet;
  switch (action.kind) {
    case 'push_vlan':
      pushVlan(key, action.type);
      return 'done';
    case 'pop_vlan':
      popVlan(key);
      return 'done';
    case 'push_mpls':
      if (countLabels(key) === 0) commit(packet);
      return pushMpls(key, action.type) === 'pushed' ? 'done' : 'too many labels';
    case 'pop_mpls': {
      const result = popMpls(key, action.type);
      if (result === 'popped' && !isMpls(action.type)) packet.needsReparse = true;
      return result === 'too many labels' ? result : 'done';
    }
    case 'dec_mpls_ttl': {
      const entry = key[word.mplsLse] ?? 0;
      if (!isMpls(key[word.ethType] ?? 0) || (entry & 0xff) <= 1) return 'expired';
      key[word.mplsLse] = entry - 1;
      return 'done';
    }
    default:
      return assertNever(action);
  }
}

/**
 * Number or priority of the outer tag; pushes one where there is none (ovs-actions(7),
 * "mod_vlan_vid").
 */
export function setVlan(
  { key }: Packet,
  { part, value }: Extract<SetAction, { readonly kind: 'set_vlan' }>,
): void {
  const control = key[word.vlanTci] ?? 0;
  if (countTags(key) === 0) key[word.vlanTpid] ||= etherTypes.vlan;
  key[word.vlanTci] =
    tagged | (part === 'vid' ? (control & 0xe000) | value : (control & 0xfff) | (value << 13));
}

/**
 * Whether an action can do without what is behind the labels: outputs, and writes of the headers
 * before them. All others make Open vSwitch parse the frame again.
 */
export function isBeforePayload(action: Action): boolean {
  switch (action.kind) {
    case 'output':
    case 'output-field':
    case 'output-truncated':
    case 'enqueue':
    case 'set_queue':
    case 'group':
    case 'set_vlan':
      return true;
    case 'set':
      return (
        action.field.prerequisite === 'none' ||
        action.field.prerequisite === 'ethernet' ||
        action.field.prerequisite === 'mpls'
      );
    case 'controller':
      return isPlain(action);
    default:
      return false;
  }
}
