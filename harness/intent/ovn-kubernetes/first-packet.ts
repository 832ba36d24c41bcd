/**
 * The packet by which OVN learns whom a client of a Service with affinity keeps goes no further
 * (ovn-northd(8), "Logical Switch Stateful": `commit_lb_aff`). The connection that it has begun
 * waits for the tracker to forget it: what is sent again before is no new one to the load balancer.
 */
import type { Intent } from '../../domain/intent.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { Topology } from '../../domain/topology.js';
import type { Network } from '../../kube/objects.js';
import { serviceAt } from '../kubernetes/service/backends.js';
import { externalServicePort } from '../kubernetes/service/external-access.js';

/** The name by which ovn-kubernetes is known to break the promise. */
export const firstPacketOfAffinity = 'first-packet-of-affinity';

/**
 * The transmission that is a new connection again. Of who is on a logical switch the tracker keeps
 * what the first one has begun: the last of seven, after 63 s, finds it gone. A gateway router
 * begins nothing: there the second one, after a second, is new. To Linux's tracker a connection is
 * new until something has come back: the second one is everywhere.
 */
const newAgain = { pod: 7, external: 2, onLinux: 2 } as const;
const transmissionsByDefault = 7;

/** `promise`, contradicted where a client's first packet to a Service with affinity is lost. */
export function withoutFirstPacket(network: Topology, stimulus: Stimulus, promise: Intent): Intent {
  if (promise.kind !== 'balanced' || !hasAffinity(network, stimulus)) return promise;
  const isOutside = network.externalHosts?.some(({ name }) => name === stimulus.from) === true;
  const instead = insteadOf(stimulus, promise, newAgain[isOutside ? 'external' : 'pod']);
  const insteadOnLinux = insteadOf(stimulus, promise, newAgain.onLinux);
  if (instead === undefined || insteadOnLinux === undefined) return promise;
  const by = firstPacketOfAffinity;
  return { kind: 'contradicted', promise, instead, insteadOnLinux, by, pass: 'cold' };
}

function hasAffinity({ objects, ...cluster }: Network, stimulus: Stimulus): boolean {
  if (objects === undefined || !('to' in stimulus)) return false;
  const asked = externalServicePort({ ...cluster, objects }, stimulus)?.ip ?? stimulus.to;
  return serviceAt(objects, asked)?.spec.sessionAffinity === 'ClientIP';
}

function insteadOf(
  stimulus: Stimulus,
  promise: Extract<Intent, { readonly kind: 'balanced' }>,
  transmission: number,
): Intent | undefined {
  const why = 'OVN learns whom the client keeps by its first packet, and drops that';
  switch (stimulus.kind) {
    case 'tcp':
    case 'probe':
      return (stimulus.transmissions ?? transmissionsByDefault) < transmission
        ? { kind: 'denied', why }
        : { ...promise, transmission };
    case 'calls':
      return stimulus.protocol === 'TCP' ? { ...promise, transmission } : undefined;
    case 'udp':
      return { kind: 'denied', why };
    default:
      return undefined;
  }
}
