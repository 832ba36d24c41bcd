/** Scenarios on a network of the user's own: which can use it, before any switch comes up. */
import { basename } from 'node:path';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { asOvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-cluster.js';
import { asOvnKubernetesCluster } from '../../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';
import type { Network } from '../../kube/objects.js';
import type { Scenario } from '../../domain/scenario.js';

export interface UserNetwork {
  readonly axis: 'topology' | 'manifests';
  readonly path: string;
  readonly network: Network;
}

/**
 * The scenarios on that network; axes that shape a scenario's own no longer mean anything. Of those
 * that were named each must be able to use it; among all, those that cannot are left out.
 * @throws InputError that says why a scenario cannot, or why none can.
 */
export function scenariosOnNetwork(
  scenarios: readonly Scenario[],
  userNetwork: UserNetwork,
  which: 'named' | 'all',
): readonly Scenario[] {
  const { axis, path, network } = userNetwork;
  const axes = { [axis]: { values: [basename(path)], default: [basename(path)] } };
  const candidates = scenarios.map(({ after: _, ...scenario }) => {
    try {
      const own = networkFor(scenario.controlPlane.name, network);
      return { scenario, own, wrong: reasonUnusable(scenario, own) };
    } catch (error) {
      if (error instanceof InputError) return { scenario, own: network, wrong: error.message };
      throw error;
    }
  });
  const unusable = candidates.find(({ wrong }) => wrong !== undefined);
  const usable = candidates.filter(({ wrong }) => wrong === undefined);
  if (unusable !== undefined && (which === 'named' || usable.length === 0))
    throw new InputError(
      `--${axis} ${path}: ${unusable.scenario.name} cannot use it: ${unusable.wrong}`,
    );
  return usable.map(({ scenario, own }) => ({ ...scenario, axes, topology: () => own }));
}

/** A network of manifests as that control plane has it; any other as it is. */
export function networkFor(controlPlane: string, network: Network): Network {
  const { objects, ...topology } = network;
  if (objects === undefined) return network;
  const cluster = { ...topology, objects };
  switch (controlPlane) {
    case 'ovn-kubernetes':
      return asOvnKubernetesCluster(cluster, 'a-node');
    case 'ovn-cni':
      return asOvnCniCluster(cluster, 'has followed');
    default:
      return network;
  }
}

/** Why the scenario cannot be played on the network; undefined where it can. */
function reasonUnusable(scenario: Scenario, network: Network): string | undefined {
  if (scenario.timeline !== undefined)
    return 'it is a timeline of its own network; run it without, or name other scenarios';
  try {
    scenario.controlPlane.plan(network);
    const vectors = scenario.vectors(network);
    if (vectors.length === 0)
      return 'it has nothing to send there: hosts or objects that it is about are missing';
    const known = new Set(
      [
        ...network.nodes,
        ...network.nodes.flatMap(({ pods }) => pods),
        ...(network.externalHosts ?? []),
      ].map(({ name }) => name),
    );
    const unknownSender = vectors.find(({ stimulus }) => !known.has(stimulus.from));
    return unknownSender === undefined
      ? undefined
      : `its vector ${unknownSender.id} is sent by "${unknownSender.stimulus.from}", which ` +
          'is not there';
  } catch (error) {
    if (error instanceof InputError || error instanceof Unsupported) return error.message;
    throw error;
  }
}
