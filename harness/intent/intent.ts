import { Unsupported, assertNever } from '../base/errors.js';
import type { Intent } from '../nouns/intent.js';
import type { Network } from '../kube/objects.js';
import type { Topology } from '../nouns/topology.js';
import type { Stimulus } from '../nouns/vector.js';
import { intentOfFrame } from './frame.js';
import { senderNamed, type ClusterHost } from './parties.js';
import { egressIntent } from './outward.js';
import { intentUnderPolicies } from './policy/intent.js';
import { defaultTtl, intentOfArp, intentOfDatagram } from './reach.js';
import { intentOfConnection } from './connection.js';
import { intentOfService } from './service/intent.js';
import { externalAccessIntent } from './service/outside.js';
import { intentOfWindowsPort } from './service/windows-port.js';
import { withServicePath } from './service-way.js';
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
