/**
 * L0 on Services that are asked for from outside of the cluster, or as if from there: by a port of
 * a node, by the address of a load balancer, or by an external IP (Kubernetes, "Service", and
 * "Using Source IP").
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { Cluster } from '../../../kube/objects.js';
import type { Intent } from '../../../domain/intent.js';
import type { ControlPlanePromises } from '../../../domain/promises.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { end } from '../policy/intent-under-policies.js';
import { egressVerdict } from '../policy/policy-verdict.js';
import type { ServiceAddress } from './session-affinity.js';
import { backends, backendsOn } from './backends.js';
import {
  balancedAmong,
  protocolOf,
  refuseShortTtl,
  type ServiceStimulus,
} from './service-reach.js';
import type { ExternalPort, Gateways } from './external-port.js';
import { clientNamed, externalPortAt, isLocal, type ServiceClient } from './external-port.js';
import { reachOf } from './external-reach.js';

/**
 * What somebody gets who sends to a port of a node that is a Service's, or to an address from
 * outside that is one's; undefined for everything else. @throws Unsupported where nothing is
 * promised.
 */
export function externalAccessIntent(
  cluster: Cluster,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): Intent | undefined {
  if (!('port' in stimulus) || !('to' in stimulus)) return undefined;
  const asker = clientNamed(cluster, stimulus.from);
  const exposure =
    asker === undefined
      ? undefined
      : externalPortAt(cluster, asker, stimulus, gatewaysOf(promises));
  if (asker === undefined || exposure === undefined) return undefined;
  if (stimulus.kind === 'open' || stimulus.kind === 'talk')
    throw new Unsupported(
      `nothing is promised about connections to ${exposure.name} that stay open`,
    );
  return intentOfExternalPort(cluster, asker, stimulus, exposure, promises);
}

/**
 * The port of a Service that is asked for so, as it is asked for in the cluster; undefined for
 * everything else.
 */
export function externalServicePort(
  cluster: Cluster,
  stimulus: Stimulus,
): ServiceAddress | undefined {
  if (!('port' in stimulus) || !('to' in stimulus) || stimulus.kind === 'talk') return undefined;
  const asker = clientNamed(cluster, stimulus.from);
  const exposure = asker === undefined ? undefined : externalPortAt(cluster, asker, stimulus);
  const ip = exposure?.service.spec.clusterIP;
  return exposure === undefined || ip === undefined
    ? undefined
    : { ip, port: exposure.port.port, protocol: exposure.port.protocol };
}

function gatewaysOf({ atNodePorts }: ControlPlanePromises): Gateways {
  return atNodePorts === undefined ? 'of nodes' : 'of routers';
}

function intentOfExternalPort(
  cluster: Cluster,
  asker: ServiceClient,
  stimulus: ServiceStimulus,
  exposure: ExternalPort,
  promises: ControlPlanePromises,
): Intent {
  const { service, port, node, name } = exposure;
  if (asker.party?.node.os === 'windows')
    throw new Unsupported(
      `nothing is promised about what ${asker.name}, on a Windows node, gets by ${name}`,
    );
  const all = backends(cluster.objects, service, port);
  if (all.length === 0) return intentWithoutEndpoint(cluster, asker, stimulus, exposure, promises);
  refuseShortTtl(stimulus);
  const able =
    isExternalAccess(asker, exposure) && isLocal(service)
      ? backendsOn(node.name, cluster.objects, service, port)
      : all;
  if (able.length === 0)
    return {
      kind: 'denied',
      why: `${name}: its traffic from outside stays on the node, and nobody there is ready`,
    };
  return balancedAmong(
    able.map((backend) => reachOf(cluster, asker, stimulus, exposure, backend, promises)),
    service,
    stimulus,
    name,
  );
}

/** Pods that ask their own node, and nodes that ask for an address, do not. */
function isExternalAccess({ party }: ServiceClient, { node }: ExternalPort): boolean {
  return party?.node !== node;
}

/**
 * The sender gets an error, unless its policies would not let it send to that address (as for
 * ClusterIPs).
 * @throws Unsupported where another node had to pass it on.
 */
function intentWithoutEndpoint(
  { objects }: Cluster,
  { name, ip, party }: ServiceClient,
  stimulus: ServiceStimulus,
  exposure: ExternalPort,
  { atNodePorts }: ControlPlanePromises,
): Intent {
  const why = `nobody is ready behind ${exposure.name}`;
  const by =
    atNodePorts !== undefined && protocolOf(stimulus) === 'TCP' ? { by: atNodePorts.nobody } : {};
  if (party === undefined) return { kind: 'rejected', ...by, why };
  if (party.kind === 'pod' && party.node !== exposure.node)
    throw new Unsupported(
      `whether ${name} gets an error because ${why}, from ${exposure.node.name} and through ` +
        `${party.node.name}, is not promised`,
    );
  const asked = egressVerdict(objects, {
    protocol: protocolOf(stimulus),
    port: stimulus.port,
    from: end(objects, ip),
    to: { ip: stimulus.to },
  });
  return asked.kind === 'allowed' ? { kind: 'rejected', ...by, why } : { kind: 'denied', why };
}
