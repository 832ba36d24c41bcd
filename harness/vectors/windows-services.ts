import type { Topology } from '../domain/topology.js';
import type { TestVector } from '../domain/test-vector.js';

/** What of Kubernetes' Services is asked for. */
type WithServices = Topology & {
  readonly objects?: {
    readonly services: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: {
        readonly clusterIP?: string | undefined;
        readonly ports: readonly {
          readonly protocol: string;
          readonly port: number;
          readonly nodePort?: number | undefined;
        }[];
      };
    }[];
    readonly endpointSlices?: readonly {
      readonly endpoints: readonly { readonly nodeName?: string | undefined }[];
    }[];
  };
};

/**
 * The first pod of the first node, and that node itself, to every port of every Service with an
 * address: `tcp/n1/host-network`, `udp/client/outside`.
 */
export function serviceWalkthroughs({
  nodes: [node],
  objects,
}: WithServices): readonly TestVector[] {
  const clients = node === undefined ? [] : [...node.pods.slice(0, 1), node];
  return clients.flatMap(({ name: from }) =>
    (objects?.services ?? []).flatMap(({ metadata, spec: { clusterIP: to, ports } }) =>
      to === undefined
        ? []
        : ports.flatMap(({ protocol, port }): readonly TestVector[] => {
            if (protocol === 'SCTP') return [];
            const kind = protocol === 'TCP' ? 'tcp' : 'udp';
            return [{ id: `${kind}/${from}/${metadata.name}`, stimulus: { kind, from, to, port } }];
          }),
    ),
  );
}

/**
 * Everybody outside, and everybody of nodes that have no endpoint, to every port that the first
 * node has for Services: `tcp/x1/both`, `udp/asker/both`; of TCP several times over by who is
 * outside, `calls/x1/both`, and a connection that is closed at once, `probe/x1/both`.
 */
export function nodePorts({
  nodes: [node, ...others],
  externalHosts = [],
  objects,
}: WithServices): readonly TestVector[] {
  if (node === undefined) return [];
  const outside = externalHosts.map(({ name }) => name);
  const endpoints = new Set(
    (objects?.endpointSlices ?? []).flatMap((slice) =>
      slice.endpoints.flatMap(({ nodeName }) => nodeName ?? []),
    ),
  );
  const clients = [
    ...outside,
    ...others
      .filter(({ name }) => !endpoints.has(name))
      .flatMap(({ name, pods }) => [name, ...pods.map((pod) => pod.name)]),
  ];
  const ports = (objects?.services ?? []).flatMap(({ metadata: { name }, spec }) =>
    spec.ports.flatMap(({ protocol, nodePort: port }) =>
      port === undefined || protocol === 'SCTP' ? [] : [{ name, protocol, port }],
    ),
  );
  return ports.flatMap(({ name, protocol, port }) =>
    clients.flatMap((from): readonly TestVector[] => {
      const at = { from, to: node.underlay.ip, port };
      if (protocol === 'UDP')
        return [{ id: `udp/${from}/${name}`, stimulus: { kind: 'udp', ...at } }];
      const once: TestVector = { id: `tcp/${from}/${name}`, stimulus: { kind: 'tcp', ...at } };
      if (!outside.includes(from)) return [once];
      return [
        once,
        { id: `probe/${from}/${name}`, stimulus: { kind: 'probe', ...at } },
        {
          id: `calls/${from}/${name}`,
          stimulus: { kind: 'calls', protocol: 'TCP', ...at, count: 4, everyMs: 10 },
        },
      ];
    }),
  );
}
