/** What a scenario imports. */
export { antrea, pipelineVersions, type PipelineVersion } from './control/antrea/index.js';
export { contrail } from './control/contrail/index.js';
export { ovn } from './control/ovn/index.js';
export { ovnCni } from './control/ovn-cni/index.js';
export { ovnKubernetes } from './control/ovn-kubernetes/index.js';
export { staticFlows, type BridgeFlowText } from './control/static.js';
export type { Cluster, Network } from './kube/objects.js';
export { clusterIpsOf } from './kube/services/service-endpoints.js';
export { servicesOf } from './kube/services/policy-ports.js';
export { defineTimeline, type TimelineScenario } from './intent/over-time/define-timeline.js';
export { intentOf } from './intent/intent.js';
export { ovnAnswersIntent } from './intent/ovn/answers.js';
export { ovnCniIntentOf } from './intent/ovn-cni/promises.js';
export type { Intent } from './domain/intent.js';
export type { BridgePlan } from './domain/plan/bridge-plan.js';
export type { ClusterPlan, NodePlan } from './domain/plan/cluster-plan.js';
export type { ControlPlane } from './domain/plan/control-plane.js';
export type { HostPlan } from './domain/plan/host-plan.js';
export type { PortPlan } from './domain/plan/port-plan.js';
export { defineScenario, type Axis, type AxisValues, type Scenario } from './domain/scenario.js';
export { checkTopology } from './domain/topology-check.js';
export {
  podsOf,
  type ExternalHost,
  type Node,
  type Pod,
  type Topology,
} from './domain/topology.js';
export { type TunnelType } from './domain/plan/port-plan.js';
export type { FrameSpec, PayloadSpec, Stimulus, TestVector } from './domain/test-vector.js';
export * as vectors from './vectors/index.js';
