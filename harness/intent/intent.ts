/**
 * L0, composed of what Kubernetes promises (`kubernetes/`) and of what the control plane promises
 * beside it, which comes with that control plane.
 */
import { InputError, Unsupported, assertNever, unknownName } from '../base/errors/errors.js';
import type { ClusterHost } from '../domain/cluster-host.js';
import type { Intent } from '../domain/intent.js';
import { overIpv4 } from '../domain/dual-stack.js';
import type { ControlPlanePromises } from '../domain/promises.js';
import type { Announced, FrameSpec, Stimulus } from '../domain/test-vector.js';
import type { Topology } from '../domain/topology.js';
import type { Network } from '../kube/objects.js';
import { promisedOverIpv6 } from './over-ipv6.js';
import { senderNamed } from './kubernetes/cluster-hosts.js';
import { defaultTtl, intentOfDatagram } from './kubernetes/datagram.js';
import { intentOfConnection, intentOfSegment } from './kubernetes/intent-of-connection.js';
import { intentUnderPolicies } from './kubernetes/policy/intent-under-policies.js';
import { externalAccessIntent } from './kubernetes/service/external-access.js';
import { intentOfService, reachOf } from './kubernetes/service/intent-of-service.js';
import { intentOnUnderlay } from './kubernetes/underlay.js';

/**
 * What the stimulus must lead to, under the policies of the network where it has objects of
 * Kubernetes. `promises` are those of the control plane that programs the network.
 * @throws InputError for a sender that is not in the topology or an address that is none.
 * @throws Unsupported for a stimulus that nothing was promised about.
 */
export function intentOf(
  network: Network,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): Intent {
  refuseMissing(promises);
  if (stimulus.kind === 'announcement') return intentOfAnnouncement(network, stimulus, promises);
  const alike = overIpv4(network, stimulus);
  if (alike !== undefined) {
    const asked = promises.forIpv6?.(network) ?? network;
    return promisedOverIpv6(network, intentOf(asked, alike, promises));
  }
  if (promises.whole !== undefined) return promises.whole(network, stimulus);
  const { objects } = network;
  const cluster = objects === undefined ? undefined : { ...network, objects };
  const fromOutside =
    cluster === undefined
      ? undefined
      : (promises.nodePort(cluster, stimulus) ?? externalAccessIntent(cluster, stimulus, promises));
  if (fromOutside !== undefined)
    return promises.fromOutside?.(network, stimulus, fromOutside) ?? fromOutside;
  const underlay = intentOnUnderlay(network, stimulus, promises);
  if (underlay !== undefined) return underlay;
  const from = senderNamed(network, stimulus.from);
  const unrestricted = () => intentWithoutPolicies(network, from, stimulus, promises);
  if (cluster === undefined) return unrestricted();
  const service = intentOfService(cluster, from, stimulus, (...asked) =>
    reachOf(...asked, promises),
  );
  return service === undefined
    ? intentUnderPolicies(cluster, from, stimulus, unrestricted, promises)
    : promises.service(cluster, from, stimulus, service);
}

/** A scenario's own code may have lost them: it is not type-checked where it is run. */
function refuseMissing(promises: ControlPlanePromises | undefined): void {
  if (promises === undefined)
    throw new InputError(
      'intentOf needs the promises of the control plane: controlPlane has "promises", and a ' +
        "scenario's intent(topology, stimulus, promises) hands on its third argument",
    );
}

/** @throws Unsupported where nothing is promised of it. */
function intentOfAnnouncement(
  network: Network,
  stimulus: Announced,
  { announced }: ControlPlanePromises,
): Intent {
  const node = network.nodes.find(({ name }) => name === stimulus.from);
  if (node === undefined)
    throw unknownName(
      'node',
      stimulus.from,
      network.nodes.map(({ name }) => name),
    );
  if (announced === undefined)
    throw new Unsupported(
      `nothing is promised about what ovn-controller of ${node.name} announces`,
    );
  return announced(network, node, stimulus);
}

function intentWithoutPolicies(
  topology: Topology,
  from: ClusterHost,
  stimulus: Exclude<Stimulus, Announced>,
  promises: ControlPlanePromises,
): Intent {
  const egress = promises.egress(topology, from, stimulus);
  if (egress !== undefined) return egress;
  switch (stimulus.kind) {
    case 'ping':
    case 'udp': {
      const { to, ttl = defaultTtl } = stimulus;
      const port = stimulus.kind === 'udp' ? { port: stimulus.port } : {};
      return intentOfDatagram(topology, from, { to, ttl, ...port }, promises);
    }
    case 'tcp':
    case 'probe':
    case 'sctp':
    case 'open':
      return intentOfConnection(topology, from, stimulus, promises);
    case 'calls':
      throw new Unsupported(
        `nothing is promised about several calls to ${stimulus.to}, which is no Service's address`,
      );
    case 'talk':
      throw new Unsupported(
        `whether connection ${stimulus.connection} stands depends on what was before`,
      );
    case 'arp':
      return promises.arp(topology, from, stimulus.target);
    case 'dhcp':
      if (promises.dhcp === undefined)
        throw new Unsupported(`nothing is promised about DHCP of ${from.name}`);
      return promises.dhcp(topology, from, stimulus.version ?? 4);
    case 'frame':
      if (stimulus.interface !== undefined)
        throw new Unsupported(
          `nothing is promised about frames on interface "${stimulus.interface}" of ` +
            `${from.name}: only about a host's first`,
        );
      return (
        promises.frame(topology, from, stimulus.frame) ??
        intentOfTruthful(topology, from, stimulus.frame, promises)
      );
    default:
      return assertNever(stimulus);
  }
}

/** A frame that the sender's own stack might have sent. */
function intentOfTruthful(
  topology: Topology,
  from: ClusterHost,
  { payload }: FrameSpec,
  promises: ControlPlanePromises,
): Intent {
  switch (payload.kind) {
    case 'neighbour-advertisement':
      throw new Unsupported('nothing is promised about neighbour advertisements of a pod');
    case 'other':
      throw new Unsupported(
        `nothing is promised about frames with EtherType 0x${payload.etherType.toString(16)}`,
      );
    case 'arp':
      return promises.arp(topology, from, payload.tpa);
    case 'tcp':
      return intentOfSegment(topology, from, payload, promises);
    case 'udp':
    case 'echo-request': {
      const port = payload.kind === 'udp' ? { port: payload.dstPort } : {};
      return intentOfDatagram(
        topology,
        from,
        { to: payload.dst, ttl: payload.ttl, ...port },
        promises,
      );
    }
    default:
      return assertNever(payload);
  }
}
