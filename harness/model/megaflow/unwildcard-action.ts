/** What actions read and write, beside what every mask has. */
import { assertNever } from '../../base/errors/errors.js';
import type { Action } from '../../openflow/actions/actions.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { unwildcardField, unwildcardWords, type MegaflowDraft } from './unwildcard.js';

const metadata = fieldCalled('metadata');

/**
 * Notes it. @returns why no megaflow can be made of a translation with this action; undefined where
 * one can.
 */
export function unwildcardAction(megaflow: MegaflowDraft, action: Action): string | undefined {
  switch (action.kind) {
    case 'set':
    case 'delete_field':
      unwildcardField(megaflow, action.field);
      return undefined;
    case 'write_metadata':
      unwildcardField(megaflow, metadata);
      return undefined;
    case 'set_port':
      unwildcardWords(megaflow, word.tpSrc, 2);
      return undefined;
    case 'dec_ttl':
      unwildcardWords(megaflow, word.nwTtl);
      return undefined;
    case 'fin_timeout':
      unwildcardWords(megaflow, word.tcpFlags);
      return undefined;
    case 'output-field':
    case 'push':
      unwildcardField(megaflow, action.source.field);
      return undefined;
    case 'pop':
      unwildcardField(megaflow, action.destination.field);
      return undefined;
    case 'move':
      unwildcardField(megaflow, action.source.field);
      unwildcardField(megaflow, action.destination.field);
      return undefined;
    case 'ct':
      if (typeof action.zone !== 'number') unwildcardField(megaflow, action.zone.field);
      for (const inner of action.exec)
        if (inner.kind === 'move') unwildcardField(megaflow, inner.source.field);
      return undefined;
    case 'resubmit':
      return action.original ? 'resubmit(ct)' : undefined;
    case 'output-truncated':
    case 'bundle':
    case 'multipath':
    case 'check_pkt_larger':
    case 'controller':
    case 'learn':
    case 'meter':
    case 'push_mpls':
    case 'pop_mpls':
    case 'dec_mpls_ttl':
      return action.kind;
    // Their own bits are in every mask, or they read none; nested actions come here by themselves.
    case 'output':
    case 'enqueue':
    case 'group':
    case 'goto':
    case 'clone':
    case 'exit':
    case 'write_actions':
    case 'clear_actions':
    case 'ct_clear':
    case 'push_vlan':
    case 'pop_vlan':
    case 'set_vlan':
    case 'conjunction':
    case 'note':
    case 'sample':
    case 'set_queue':
    case 'pop_queue':
    case 'nat':
      return undefined;
    default:
      return assertNever(action);
  }
}
