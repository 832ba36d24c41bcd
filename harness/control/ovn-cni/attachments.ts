import { sha256 } from '../../base/files/digest.js';
import type { Pod } from '../../domain/topology.js';
import type { Cluster } from '../../kube/objects.js';
import type { Attachment } from './names.js';

export interface PodAttachment {
  readonly pod: Pod;
  readonly attachment: Attachment;
  /** As Kubernetes has it. */
  readonly name: string;
  readonly namespace: string;
}

/** Pods, such as those of a node, with the ids that a runtime would give their sandboxes. */
export function attachmentsOn(
  { pods }: { readonly pods: readonly Pod[] },
  { objects }: Pick<Cluster, 'objects'>,
): readonly PodAttachment[] {
  return pods.map((pod) => {
    const found = objects.pods.find(({ status }) => status.podIP === pod.ip);
    const { name, namespace } = found?.metadata ?? { name: pod.name, namespace: 'default' };
    return {
      pod,
      name,
      namespace,
      attachment: { containerId: sha256(`sandbox of ${namespace}/${name}`), ifname: 'eth0' },
    };
  });
}
