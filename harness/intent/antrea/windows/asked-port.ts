/** The port of a Windows node that a stimulus asks. */
import type { PortOfService } from '../../kubernetes/service/backends.js';
import type { Service } from '../../../kube/schemas/services.js';
import type { Node } from '../../../domain/topology.js';
import type { ServiceStimulus as AskingAny } from '../../kubernetes/service/service-reach.js';
import { protocolOf } from '../../kubernetes/service/service-reach.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import type { AntreaCluster } from '../../../../topologies/antrea/antrea-topology.js';
import { Unsupported } from '../../../base/errors/errors.js';

/** Userspace kube-proxy has no ports for SCTP. */
export type Asking = Exclude<AskingAny, { readonly kind: 'sctp' }>;

export interface Asked {
  readonly node: Node;
  /** By which of its addresses: it listens on all. */
  readonly at: 'node' | 'gateway';
  readonly service: Service;
  readonly port: PortOfService;
  readonly name: string;
}

export function isAsking(stimulus: Stimulus): stimulus is Asking {
  return ['udp', 'tcp', 'probe', 'calls', 'open'].includes(stimulus.kind);
}

/** Addresses of Services that nodes have ports for are the node's own, on "HNS Internal NIC". */
export function refuseOwnAddresses({ nodes, objects }: AntreaCluster, { from, to }: Asking): void {
  const isServed = objects.services.some(
    ({ spec }) =>
      spec.clusterIP === to && spec.ports.some(({ nodePort }) => nodePort !== undefined),
  );
  if (isServed && nodes.some(({ name, os }) => name === from && os === 'windows'))
    throw new Unsupported(
      `nothing is promised about what ${from} sends to itself: ${to} is an address of its ` +
        '"HNS Internal NIC"',
    );
}

export function askedAt(
  { nodes, objects, externalHosts = [] }: AntreaCluster,
  stimulus: Asking,
): Asked | undefined {
  const node = nodes.find(
    ({ os, underlay, gateway }) =>
      os === 'windows' && [underlay.ip, gateway.ip].includes(stimulus.to),
  );
  if (
    node === undefined ||
    (node.gateway.ip === stimulus.to && externalHosts.some(({ name }) => name === stimulus.from))
  )
    return undefined;
  const at = node.gateway.ip === stimulus.to ? 'gateway' : 'node';
  const protocol = protocolOf(stimulus);
  for (const service of objects.services) {
    for (const port of service.spec.ports) {
      if (port.nodePort === stimulus.port && port.protocol === protocol)
        return {
          node,
          at,
          service,
          port,
          name:
            `Service ${service.metadata.namespace}/${service.metadata.name}, by ${protocol} ` +
            `port ${stimulus.port} of ${node.name}`,
        };
    }
  }
  return undefined;
}
