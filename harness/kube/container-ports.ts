import type { ContainerPort, KubePod } from './schemas/workloads.js';

/**
 * The ports of the containers that run as long as the pod does: its own, and behind them those of
 * its sidecars, in the order in which a name is looked up (Kubernetes, "Sidecar Containers": init
 * containers whose `restartPolicy` is `Always`). Other init containers have ended before.
 */
export function containerPortsOf({ spec }: Pick<KubePod, 'spec'>): readonly ContainerPort[] {
  const { containers, initContainers = [] } = spec;
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...containers, ...sidecars].flatMap(({ ports }) => ports);
}
