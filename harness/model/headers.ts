/** Headers that actions put in front of a packet, take off, and count down (ovs-actions(7), "Header Modification Actions"). */
import { assertNever } from '../base/errors.js';
import { popMpls, popVlan, pushMpls, pushVlan } from '../packet/flow-headers.js';
import { countLabels, isMpls, word } from '../packet/flow-key.js';
import { commit, reread, type Packet } from './packet.js';

export type HeaderAction =
  | { readonly kind: 'push_vlan'; readonly type: number }
  | { readonly kind: 'pop_vlan' }
  | { readonly kind: 'push_mpls'; readonly type: number }
  | { readonly kind: 'pop_mpls'; readonly type: number }
  | { readonly kind: 'dec_mpls_ttl' };

/**
 * `expired`: a packet whose label may live no longer, or that has none, ends the actions of its flow; `too many labels`: a packet that
 * Open vSwitch's keys have no room for goes nowhere at all, not even where it was sent before.
 */
export type HeaderResult = 'done' | 'expired' | 'too many labels';

export function changeHeaders(packet: Packet, action: HeaderAction): HeaderResult {
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
      if (result === 'popped' && !isMpls(action.type)) packet.isUnread = true;
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

/** To be called before an action that looks behind the labels, or at anything that frames are read for: all but outputs, and writes of what is in front of them. */
export function readBehindLabels(packet: Packet): void {
  if (packet.isUnread) reread(packet);
}
