/** L0's truth table of a network: who reaches whom on what, with no switch and no flow. */
import { Unsupported } from '../../base/errors/errors.js';
import { intentOf } from '../../intent/intent.js';
import { clusterIpsOf } from '../../kube/services/service-endpoints.js';
import type { Network } from '../../kube/objects.js';
import { servicesOf } from '../../kube/services/policy-ports.js';
import type { Intent } from '../../domain/intent.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import { podsOf } from '../../domain/topology.js';
import type { Stimulus, TestVector } from '../../domain/test-vector.js';
import * as vectors from '../../vectors/index.js';
import { matricesOf, type Matrix } from './reachability-matrix.js';

export interface TruthTable {
  /** The network's name. */
  readonly network: string;
  /** The name of the control plane whose promises stand beside those of Kubernetes. */
  readonly controlPlane: string;
  readonly cells: readonly TruthCell[];
  readonly matrices: readonly Matrix[];
}

export interface TruthCell {
  /** `tcp-80/web/db`; `service/web/default/db:sql`; `node-port/x1/n2/default/db:sql`. */
  readonly id: string;
  readonly stimulus: Stimulus;
  readonly intent: Intent | { readonly kind: 'unknown'; readonly why: string };
}

/**
 * `controlPlane` is what programs the network. Every pod, node and external host to
 * whom it may ask, on every service at which policies may turn out otherwise, and to every Service.
 */
export function truthTableOf(
  network: Network,
  { name, promises }: Pick<ControlPlane<Network>, 'name' | 'promises'>,
): TruthTable {
  const cells = questionsIn(network).map(
    ({ id, stimulus }): TruthCell => ({
      id,
      stimulus,
      intent: promisedIn(network, stimulus, promises),
    }),
  );
  return {
    network: network.name,
    controlPlane: name,
    cells,
    matrices: matricesOf(cells, 'not played'),
  };
}

function questionsIn(network: Network): readonly TestVector[] {
  const [services, clusterIps] = [servicesOf(network), clusterIpsOf(network)];
  const clients = [
    ...podsOf(network).map(({ pod }) => pod),
    ...network.nodes,
    ...(network.externalHosts ?? []),
  ].map(({ name }) => name);
  return [
    ...vectors.podMatrix(network, services),
    ...vectors.nodeMatrix(network, services),
    ...vectors.gatewayMatrix(network, services),
    ...vectors.hostMatrix(network, services),
    ...vectors.externalMatrix(network, services),
    ...vectors.serviceMatrix(network, clusterIps),
    ...vectors.externalAccess(network, clients, clusterIps),
  ];
}

function promisedIn(
  network: Network,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): TruthCell['intent'] {
  try {
    return intentOf(network, stimulus, promises);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { kind: 'unknown', why: error.message };
  }
}
