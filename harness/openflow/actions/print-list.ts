/** Actions as ovs-ofctl prints them. */
import { assertNever } from '../../base/errors/errors.js';
import type { Form } from '../syntax/form.js';
import type { Action } from './action.js';
import { printChoice } from './kinds/multipath-bundle.js';
import { printCt, printNat } from './kinds/ct-action.js';
import { printHeader } from './kinds/header-actions.js';
import { printLearn } from './kinds/learn-action.js';
import { printOther } from './kinds/other-actions.js';
import { printOutput } from './kinds/output-actions.js';
import { printSubfield } from './parse-context.js';
import { printSet } from './kinds/print-set.js';
import { printTableAction } from './kinds/table-actions.js';

/** Of actions as they have come over a connection of the form's version. */
export function printList(actions: readonly Action[], form: Form): string {
  return actions.length === 0
    ? 'drop'
    : actions.map((action) => printAction(action, form)).join(',');
}

function printAction(action: Action, form: Form): string {
  const list = (inner: readonly Action[]) => printList(inner, form);
  switch (action.kind) {
    case 'output':
    case 'output-field':
    case 'output-truncated':
    case 'controller':
    case 'enqueue':
    case 'set_queue':
    case 'pop_queue':
    case 'group':
      return printOutput(action, form);
    case 'set':
      return printSet(action, form);
    case 'set_vlan':
      return `mod_vlan_${action.part}:${action.value}`;
    case 'set_port':
      return `mod_tp_${action.part}:${action.value}`;
    case 'move':
      return `move:${printSubfield(action.source)}->${printSubfield(action.destination)}`;
    case 'push':
      return `push:${printSubfield(action.source)}`;
    case 'pop':
      return `pop:${printSubfield(action.destination)}`;
    case 'delete_field':
      return `delete_field:${action.field.name}`;
    case 'pop_vlan':
      return form.protocol === 'OpenFlow10' ? 'strip_vlan' : 'pop_vlan';
    case 'push_vlan':
    case 'push_mpls':
    case 'pop_mpls':
    case 'dec_mpls_ttl':
    case 'dec_ttl':
      return printHeader(action);
    case 'goto':
    case 'resubmit':
    case 'clone':
    case 'exit':
    case 'write_metadata':
    case 'write_actions':
    case 'clear_actions':
    case 'meter':
    case 'conjunction':
      return printTableAction(action, form, list);
    case 'ct':
      return printCt(action, form, list);
    case 'nat':
      return printNat(action);
    case 'learn':
      return printLearn(action, form);
    case 'bundle':
    case 'multipath':
      return printChoice(action, form);
    case 'check_pkt_larger':
    case 'sample':
    case 'fin_timeout':
    case 'note':
    case 'ct_clear':
      return printOther(action, form);
    default:
      return assertNever(action);
  }
}
