import {
  antrea,
  clusterIpsOf,
  defineScenario,
  intentOf,
  servicesOf,
  vectors,
} from '../../harness/index.js';
import { changedCluster } from '../../topologies/generated/generated-changes.js';

/** Pods, the nodes they are on, and policies of both kinds. */
const sizes = {
  '10': {
    nodes: 2,
    pods: 10,
    networkPolicies: 16,
    clusterNetworkPolicies: 4,
    externalHosts: 1,
    hasNodePorts: true,
  },
  '50': {
    nodes: 5,
    pods: 50,
    networkPolicies: 160,
    clusterNetworkPolicies: 40,
    externalHosts: 1,
    hasNodePorts: true,
  },
} as const;

const before = { '1': '0', '2': '1', '3': '2', '4': '3' } as const;

export default defineScenario({
  name: 'antrea/truth-table',
  title: 'Every cell of the truth table of a cluster under many policies, in batches',
  axes: {
    pods: { values: ['10', '50'], default: ['10'] },
    policies: { values: ['1', '2', '3'], default: ['1'] },
    /**
     * How many changes of policies there were: behind the first of them the switches are those of
     * before, changed.
     */
    change: { values: ['0', '1', '2', '3', '4'], default: ['0', '1', '2', '3', '4'] },
  },
  topology: ({ pods, policies, change }) =>
    changedCluster(Number(policies), sizes[pods], Number(change)).cluster,
  after: ({ pods, policies, change }) =>
    change === '0'
      ? undefined
      : {
          axes: { pods, policies, change: before[change] },
          what: changedCluster(Number(policies), sizes[pods], Number(change)).what,
        },
  controlPlane: antrea('0.8'),
  vectors: (topology) => {
    const services = servicesOf(topology);
    return vectors.batched(
      vectors.coldPassOnly([
        ...vectors.podMatrix(topology, services),
        ...vectors.nodeMatrix(topology, services),
        ...vectors.gatewayMatrix(topology, services),
        ...vectors.hostMatrix(topology, services),
        ...vectors.externalMatrix(topology, services),
        ...vectors.externalAccess(
          topology,
          (topology.externalHosts ?? []).map(({ name }) => name),
          clusterIpsOf(topology),
        ),
      ]),
    );
  },
  intent: intentOf,
});
