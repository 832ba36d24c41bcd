import { arpResponder } from './arp-responder.js';
import { classifier, spoofGuard } from './classifier.js';
import { conntrack, conntrackCommit, conntrackState } from './conntrack.js';
import { dnat, l2ForwardingCalc, l2ForwardingOut, l3Forwarding } from './forwarding.js';
import type { NodeView } from './node-view.js';
import { egressPolicy, ingressPolicy } from './policy/index.js';

/** The flows of br-int, table by table in the order a packet sees them. docs/antrea-pipeline.md has the choices made. */
export function pipeline(view: NodeView): readonly string[] {
  return [
    ...classifier(view),
    ...spoofGuard(view),
    ...arpResponder(view),
    ...conntrack(),
    ...conntrackState(view),
    ...dnat(view),
    ...egressPolicy(view),
    ...l3Forwarding(view),
    ...l2ForwardingCalc(view),
    ...ingressPolicy(view),
    ...conntrackCommit(),
    ...l2ForwardingOut(),
  ];
}
