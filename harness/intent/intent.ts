import { Unsupported, assertNever } from '../base/errors/errors.js';
import type { Intent } from '../domain/intent.js';
import type { Network } from '../kube/objects.js';
import type { Topology } from '../domain/topology.js';
import type { Stimulus } from '../domain/test-vector.js';
import { intentOfFrame } from './intent-of-frame.js';
import { senderNamed, type ClusterHost } from './cluster-hosts.js';
import { egressIntent } from './egress.js';
import { intentUnderPolicies } from './policy/intent-under-policies.js';
import { defaultTtl, intentOfArp, intentOfDatagram } from './datagram.js';
import { intentOfConnection } from './intent-of-connection.js';
import { intentOfService } from './service/intent-of-service.js';
import { externalAccessIntent } from './service/external-access.js';
import { intentOfWindowsPort } from './service/windows-port.js';
import { withServicePath } from './service/service-path.js';
import { intentOnUnderlay } from './underlay.js';

/**
 * L0: what the stimulus must lead to, under the policies of the network where it has objects of
 * Kubernetes.
 * @throws InputError for a sender that is not in the topology or an address that is none.
 * @throws Unsupported for a stimulus that nothing was promised about.
 */
export function intentOf(network: Network, stimulus: Stimulus): Intent {
  const { objects } = network;
  const cluster = objects === undefined ? undefined : { ...network, objects };
  const fromOutside =
    cluster === undefined
      ? undefined
      : (intentOfWindowsPort(cluster, stimulus) ?? externalAccessIntent(cluster, stimulus));
  if (fromOutside !== undefined) return fromOutside;
  const underlay = intentOnUnderlay(network, stimulus);
  if (underlay !== undefined) return underlay;
  const from = senderNamed(network, stimulus.from);
  const unrestricted = () => intentWithoutPolicies(network, from, stimulus);
  if (cluster === undefined) return unrestricted();
  const service = intentOfService(cluster, from, stimulus);
  return service === undefined
    ? intentUnderPolicies(cluster, from, stimulus, unrestricted)
    : withServicePath(cluster, from, stimulus, service);
}

function intentWithoutPolicies(topology: Topology, from: ClusterHost, stimulus: Stimulus): Intent {
  const outward = egressIntent(topology, from, stimulus);
  if (outward !== undefined) return outward;
  switch (stimulus.kind) {
    case 'ping':
      return intentOfDatagram(topology, from, { to: stimulus.to, ttl: stimulus.ttl ?? defaultTtl });
    case 'udp':
      return intentOfDatagram(topology, from, {
        to: stimulus.to,
        ttl: stimulus.ttl ?? defaultTtl,
        port: stimulus.port,
      });
    case 'tcp':
    case 'probe':
    case 'sctp':
    case 'open':
      return intentOfConnection(topology, from, stimulus);
    case 'calls':
      throw new Unsupported(
        `nothing is promised about several calls to ${stimulus.to}, which is no Service's address`,
      );
    case 'talk':
      throw new Unsupported(
        `whether connection ${stimulus.connection} stands depends on what was before`,
      );
    case 'arp':
      return intentOfArp(topology, from, stimulus.target);
    case 'frame':
      if (stimulus.interface !== undefined)
        throw new Unsupported(
          `nothing is promised about frames on interface "${stimulus.interface}" of ` +
            `${from.name}: only about a host's first`,
        );
      return intentOfFrame(topology, from, stimulus.frame);
    default:
      return assertNever(stimulus);
  }
}
