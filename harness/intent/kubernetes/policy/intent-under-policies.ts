import { oncePer } from '../../../base/once-per.js';
import type { Cluster, KubeObjects } from '../../../kube/objects.js';
import type { KubePod } from '../../../kube/schemas/workloads.js';
import type { Intent } from '../../../domain/intent.js';
import type { ControlPlanePromises } from '../../../domain/promises.js';
import type { Topology } from '../../../domain/topology.js';
import type { FrameSpec, Stimulus } from '../../../domain/test-vector.js';
import { hostWithAddress } from '../cluster-hosts.js';
import { type ClusterHost } from '../../../domain/cluster-host.js';
import {
  egressVerdict,
  ingressVerdict,
  combinedVerdict,
  type PolicyVerdict,
} from './policy-verdict.js';
import { type Conversation, type End } from './rule-matches.js';

/**
 * A promise under the cluster's policies: what no policy forbids stays as it is. Answers of a
 * conversation that was let through are never kept back (the seed, "EgressRuleTable").
 */
export function intentUnderPolicies(
  cluster: Cluster,
  from: ClusterHost,
  stimulus: Stimulus,
  promise: () => Intent,
  promises: ControlPlanePromises,
): Intent {
  const unrestricted = promise();
  const asked = policyQueryOf(stimulus);
  if (asked === undefined || !reaches.has(unrestricted.kind)) return unrestricted;
  const to = hostWithAddress(cluster, asked.ip);
  // Who is no pod is whom the receiver sees: a node sends from its own address where no tunnel is
  // its way.
  const seen = to === undefined ? from.ip : promises.sourceSeen(cluster, from, to);
  const conversation: Conversation = {
    ...asked.service,
    from: end(cluster.objects, seen),
    to: end(cluster.objects, asked.ip),
  };
  // Outside the cluster nobody has policies.
  const verdict =
    to === undefined
      ? egressVerdict(cluster.objects, conversation)
      : between(cluster.objects, from, to, conversation);
  return withPolicyVerdict(verdict, unrestricted);
}

/** A promise, as the policies' verdict changes it. */
export function withPolicyVerdict(verdict: PolicyVerdict, promise: Intent): Intent {
  switch (verdict.kind) {
    case 'allowed':
      return promise;
    case 'denied':
      return { kind: 'denied', why: verdict.why };
    case 'open':
      return {
        kind: 'either',
        outcomes: [promise, { kind: 'denied', why: verdict.why }],
        why: verdict.why,
      };
    case 'exempt':
      return {
        kind: 'contradicted',
        by: ownNodeEgress,
        promise,
        instead: { kind: 'denied', why: verdict.why },
      };
  }
}

/** A pod that egress policies keep from its own node. */
const ownNodeEgress = 'own-node-egress';

/** What policies may keep back. */
export const reaches: ReadonlySet<Intent['kind']> = new Set(['round-trip', 'refused', 'delivered']);

interface Between {
  readonly from: ClusterHost;
  readonly to: ClusterHost;
  readonly service: Pick<Conversation, 'protocol' | 'port'>;
}

/**
 * What the policies at either end say about new connections, each by the state that its agent has
 * received: those of the opener, and of the destination, who sees a node by the address that it
 * sends from.
 */
export function verdictsOn(
  network: Topology,
  heard: { readonly opener: KubeObjects; readonly answerer: KubeObjects },
  { from, to, service }: Between,
  promises: ControlPlanePromises,
): { readonly atOpener: PolicyVerdict; readonly atAnswerer: PolicyVerdict } {
  const as = (objects: KubeObjects): Conversation => ({
    ...service,
    from: end(objects, promises.sourceSeen(network, from, to)),
    to: end(objects, to.ip),
  });
  const isProbe = from.kind === 'node' && from.node.name === to.node.name;
  return {
    atOpener: egressTo(heard.opener, from, to, as(heard.opener)),
    atAnswerer: isProbe ? { kind: 'allowed' } : ingressVerdict(heard.answerer, as(heard.answerer)),
  };
}

/**
 * What both ends say. The seed, "IngressRuleTable": "traffic from the local gateway cannot be
 * dropped because of Network Policies".
 */
export function between(
  objects: KubeObjects,
  from: ClusterHost,
  to: ClusterHost,
  conversation: Conversation,
): PolicyVerdict {
  const egress = egressTo(objects, from, to, conversation);
  const isProbe = from.kind === 'node' && from.node === to.node;
  return isProbe ? egress : combinedVerdict([egress, ingressVerdict(objects, conversation)]);
}

/**
 * Kubernetes, "Network Policies": "traffic to and from the node where a Pod is running is always
 * allowed, regardless of the IP address of the Pod or the node". ClusterNetworkPolicies are
 * Antrea's, which has no such exception for what a pod sends.
 */
function egressTo(
  objects: KubeObjects,
  from: ClusterHost,
  to: ClusterHost,
  conversation: Conversation,
): PolicyVerdict {
  const verdict = egressVerdict(objects, conversation);
  const isOwnNode = from.kind === 'pod' && to.kind === 'node' && from.node.name === to.node.name;
  if (verdict.kind !== 'denied' || verdict.by !== 'NetworkPolicy' || !isOwnNode) return verdict;
  return { kind: 'exempt', why: verdict.why };
}

interface PolicyQuery {
  readonly ip: string;
  readonly service: Pick<Conversation, 'protocol' | 'port'>;
}

/** Undefined for what policies are not about. */
export function policyQueryOf(stimulus: Stimulus): PolicyQuery | undefined {
  switch (stimulus.kind) {
    case 'ping':
      return { ip: stimulus.to, service: { protocol: 'ICMP' } };
    case 'udp':
      return { ip: stimulus.to, service: { protocol: 'UDP', port: stimulus.port } };
    case 'tcp':
    case 'probe':
    case 'open':
    case 'talk':
      return { ip: stimulus.to, service: { protocol: 'TCP', port: stimulus.port } };
    case 'sctp':
      return { ip: stimulus.to, service: { protocol: 'SCTP', port: stimulus.port } };
    case 'frame':
      return 'ttl' in stimulus.frame.payload
        ? { ip: stimulus.frame.payload.dst, service: serviceOf(stimulus.frame.payload) }
        : undefined;
    case 'calls':
      return { ip: stimulus.to, service: { protocol: stimulus.protocol, port: stimulus.port } };
    case 'arp':
    case 'dhcp':
    case 'announcement':
      return undefined;
  }
}

export function serviceOf(
  payload: Extract<FrameSpec['payload'], { readonly ttl: number }>,
): PolicyQuery['service'] {
  switch (payload.kind) {
    case 'udp':
      return { protocol: 'UDP', port: payload.dstPort };
    case 'tcp':
      return { protocol: 'TCP', port: payload.dstPort };
    case 'echo-request':
      return { protocol: 'ICMP' };
  }
}

/** The first that has it, of those with a network of their own. */
const podsByAddress = oncePer((pods: readonly KubePod[]) => {
  const held = new Map<string, KubePod>();
  for (const pod of pods)
    if (!pod.spec.hostNetwork && pod.status.podIP !== undefined && !held.has(pod.status.podIP))
      held.set(pod.status.podIP, pod);
  return held;
});

export function end({ pods }: KubeObjects, ip: string): End {
  const pod = podsByAddress(pods).get(ip);
  return pod === undefined ? { ip } : { ip, pod };
}
