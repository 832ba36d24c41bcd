import type { Topology } from '../nouns/topology.js';
import type { TestVector } from '../nouns/vector.js';

/** What of Kubernetes' Services is asked for. */
type WithServices = Topology & {
  readonly objects?: { readonly services: readonly { readonly metadata: { readonly name: string }; readonly spec: { readonly clusterIP?: string | undefined; readonly ports: readonly { readonly protocol: string; readonly port: number }[] } }[] };
};

/** The first pod of the first node, and that node itself, to every port of every Service with an address: `tcp/n1/host-network`, `udp/client/outside`. */
export function serviceWalkthroughs({ nodes: [node], objects }: WithServices): readonly TestVector[] {
  const clients = node === undefined ? [] : [...node.pods.slice(0, 1), node];
  return clients.flatMap(({ name: from }) => (objects?.services ?? []).flatMap(({ metadata, spec: { clusterIP: to, ports } }) =>
    to === undefined ? [] : ports.flatMap(({ protocol, port }): readonly TestVector[] => {
      if (protocol === 'SCTP') return [];
      const kind = protocol === 'TCP' ? 'tcp' : 'udp';
      return [{ id: `${kind}/${from}/${metadata.name}`, stimulus: { kind, from, to, port } }];
    })));
}
