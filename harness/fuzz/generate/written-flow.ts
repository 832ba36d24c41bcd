import { normalisedActions } from '../../openflow/actions/encoded-over.js';
import { printList } from '../../openflow/actions/print-list.js';
import { printFlow, type Flow } from '../../openflow/flows/flow.js';
import { canonical } from '../../openflow/syntax/form.js';

/**
 * The flow as somebody writes it, with actions that OpenFlow 1.5 has no messages for: ovs-ofctl
 * sends others in their place.
 */
export function writtenFlow(flow: Flow): string {
  return `${printFlow({ ...flow, actions: [] }).replace(/drop$/, '')}${printList(normalisedActions(flow.actions), canonical)}`;
}
