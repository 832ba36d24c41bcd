/** Services of real nodes: who calls whom, and what is promised of it. */
import { antrea } from '../../control/antrea/index.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Intent } from '../../domain/intent.js';
import type { Axis } from '../../domain/scenario.js';
import type { TestVector } from '../../domain/test-vector.js';
import { intentOf } from '../../intent/intent.js';
import { clusterIpsOf } from '../../kube/services/service-endpoints.js';
import { noService, serviceMatrix, externalAccess } from '../../vectors/index.js';
import { servicesCluster } from '../../../topologies/antrea/services.js';

export interface ServicePoint {
  readonly plan: ClusterPlan;
  readonly calls: readonly TestVector[];
  /** Vectors of the scenario that real stacks are not asked for, by kind. */
  readonly leftOut: Readonly<Record<string, number>>;
  intentOf(vector: TestVector): Intent;
}

export interface ServiceScenario {
  readonly name: string;
  readonly title: string;
  readonly axes: Readonly<Record<string, Axis>>;
  serviceOf(axes: Readonly<Record<string, string>>): ServicePoint;
}

const played = new Set(['tcp', 'udp', 'probe']);

export const services: ServiceScenario = {
  name: 'antrea/services',
  title: 'Services by real nftables of Linux nodes: who answers, and who is seen as the sender',
  axes: { tunnel: { values: ['geneve'], default: ['geneve'] } },
  serviceOf: () => {
    const topology = servicesCluster('geneve');
    // Later ones have Services in the switch, and nodes have rules for what comes from outside.
    const control = antrea('0.8');
    const called = clusterIpsOf(topology);
    const vectors = [
      ...serviceMatrix(topology, called),
      ...noService(topology, called, '10.96.0.99'),
      ...externalAccess(topology, ['x1', 'asker1', 'n2'], called),
    ];
    const leftOut: Record<string, number> = {};
    for (const { stimulus } of vectors)
      if (!played.has(stimulus.kind)) leftOut[stimulus.kind] = (leftOut[stimulus.kind] ?? 0) + 1;
    return {
      plan: control.plan(topology),
      calls: vectors.filter(({ stimulus }) => played.has(stimulus.kind)),
      leftOut,
      intentOf: ({ stimulus }) => intentOf(topology, stimulus, control.promises),
    };
  },
};
