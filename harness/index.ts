/** What a scenario imports. */
export { antrea, pipelineVersions, type PipelineVersion } from './control/antrea/index.js';
export { staticFlows, type BridgeFlowText } from './control/static.js';
export type { Cluster, Network } from './kube/objects.js';
export { clusterIpsOf } from './kube/endpoints.js';
export { servicesOf } from './kube/ports.js';
export { defineHistory, type HistoryScenario } from './intent/define-history.js';
export { intentOf } from './intent/intent.js';
export type { Intent } from './nouns/intent.js';
export type {
  BridgePlan,
  ClusterPlan,
  ControlPlane,
  HostPlan,
  NodePlan,
  PortPlan,
} from './nouns/plan.js';
export { defineScenario, type Axis, type AxisValues, type Scenario } from './nouns/scenario.js';
export { checkTopology } from './nouns/topology-check.js';
export {
  podsOf,
  type ExternalHost,
  type Node,
  type Pod,
  type Topology,
  type TunnelType,
} from './nouns/topology.js';
export type { FrameSpec, PayloadSpec, Stimulus, TestVector } from './nouns/vector.js';
export * as vectors from './vectors/index.js';
