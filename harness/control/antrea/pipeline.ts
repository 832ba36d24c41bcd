/**
 * The versions of the pipeline of br-int, each named after the version of Antrea whose it is.
 * docs/antrea-pipeline.md has the sources, and the choices made.
 */
import { arpResponder } from './arp-responder.js';
import type { BridgeProgram } from './bridge-program.js';
import { classifier, spoofGuard } from './classifier.js';
import { conntrack, conntrackCommit, conntrackState } from './conntrack.js';
import { dnat, l2ForwardingCalc, l2ForwardingOut, l3Forwarding } from './forwarding.js';
import type { NodeView } from './node-view.js';
import { egressPolicy, ingressPolicy } from './policy/index.js';
import { withAntreaProxy } from './proxy/pipeline.js';

/**
 * `0.8`: Services are left to kube-proxy on the node. `1.3`: AntreaProxy has ClusterIPs in the
 * switch.
 */
export const pipelineVersions = ['0.8', '1.3'] as const;
export type PipelineVersion = (typeof pipelineVersions)[number];

/** The program of br-int, table by table in the order a packet sees them. */
export const pipelines: Readonly<Record<PipelineVersion, (view: NodeView) => BridgeProgram>> = {
  '0.8': (view) => ({ flows: withKubeProxy(view), groups: [] }),
  '1.3': withAntreaProxy,
};

function withKubeProxy(view: NodeView): readonly string[] {
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
