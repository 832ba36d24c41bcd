/**
 * The pipeline of Antrea 1.3 with AntreaProxy, which the seed "Running Antrea on Windows" speaks of
 * (`resubmit(,29)`). Its tables of Services are described in Antrea's "OVS pipeline"
 * (docs/design/ovs-pipeline.md) of 1.4, which renumbered two of them; their numbers in 1.3 are
 * those of pkg/agent/openflow/pipeline.go at that tag. Tables that are not here are as in 0.8.
 */
import { arpResponder } from '../arp-responder.js';
import { classifier, spoofGuard } from '../classifier.js';
import { egressPolicy, ingressPolicy } from '../policy/index.js';
import type { NodeView } from '../node-view.js';
import type { BridgeProgram } from '../bridge-program.js';
import { conntrack, conntrackCommit, conntrackState, rewriteMac } from './conntrack.js';
import { l2ForwardingCalc, l2ForwardingOut, l3DecTtl, l3Forwarding } from './forwarding.js';
import {
  endpointDnat,
  hairpinSnat,
  serviceGroups,
  serviceHairpin,
  serviceLb,
  sessionAffinity,
} from './services.js';

export function withAntreaProxy(view: NodeView): BridgeProgram {
  return {
    flows: [
      ...classifier(view, [rewriteMac]),
      ...spoofGuard(view, 29),
      ...arpResponder(view),
      ...serviceHairpin(),
      ...conntrack(),
      ...conntrackState(),
      ...sessionAffinity(),
      ...serviceLb(view),
      ...endpointDnat(view),
      ...egressPolicy(view),
      ...l3Forwarding(view),
      ...l3DecTtl(),
      ...l2ForwardingCalc(view),
      ...ingressPolicy(view),
      ...conntrackCommit(),
      ...hairpinSnat(view),
      ...l2ForwardingOut(),
    ],
    groups: serviceGroups(view),
  };
}
