/** Whether a rule of a policy matches a connection. */
import type { KubeObjects } from '../../../kube/objects.js';
import type { PolicyPeer, PolicyPort } from '../../../kube/schemas/policies.js';
import type { KubePod, Protocol } from '../../../kube/schemas/workloads.js';
import { isSelected } from './match-labels.js';
import { isInBlock } from './ip-block.js';

export interface End {
  readonly ip: string;
  readonly pod?: KubePod;
}

/**
 * Who opens it, to whom, and on what; `pod` is missing at an end that is none. Protocols without
 * ports have none.
 */
export interface Conversation {
  readonly from: End;
  readonly to: End;
  readonly protocol: Protocol | 'ICMP';
  readonly port?: number;
}

export type Direction = 'ingress' | 'egress';

export interface Rule {
  readonly peers: readonly PolicyPeer[] | undefined;
  readonly ports: readonly PolicyPort[] | undefined;
}

export function isPort({ protocol, port, to }: Conversation, wanted: PolicyPort): boolean {
  if (protocol !== wanted.protocol) return false;
  if (wanted.port === undefined) return true;
  if (port === undefined) return false;
  if (typeof wanted.port === 'number')
    return port >= wanted.port && port <= (wanted.endPort ?? wanted.port);
  return (to.pod === undefined ? [] : runningContainers(to.pod)).some(({ ports }) =>
    ports.some(
      (named) =>
        named.name === wanted.port && named.containerPort === port && named.protocol === protocol,
    ),
  );
}

/**
 * Whoever has ports while the pod runs: its containers, and init containers that "remain running
 * after Pod startup" (Kubernetes, "Sidecar Containers", `restartPolicy`).
 */
export function runningContainers({ spec }: KubePod): KubePod['spec']['containers'] {
  const running = [...spec.containers];
  for (const one of spec.initContainers ?? [])
    if (one.restartPolicy === 'Always') running.push(one);
  return running;
}

/**
 * A list that is missing or empty restricts nothing. A port's name is one of the pod that is to be
 * reached (Kubernetes, NetworkPolicyPort); an ipBlock is about addresses, whoever has them, and
 * nothing in it has names.
 */
export function matches(
  { peers, ports }: Rule,
  conversation: Conversation,
  direction: Direction,
  policyNamespace: string | undefined,
  objects: KubeObjects,
): boolean {
  const peer = direction === 'ingress' ? conversation.from : conversation.to;
  const everybody = peers === undefined || peers.length === 0;
  const fitting = everybody
    ? []
    : peers.filter((candidate) => isPeer(peer, candidate, policyNamespace, objects));
  if (!everybody && fitting.length === 0) return false;
  if (ports === undefined || ports.length === 0) return true;
  const reachedByName =
    direction === 'ingress' || everybody || fitting.some(({ ipBlock }) => ipBlock === undefined);
  return ports.some(
    (port) => isPort(conversation, port) && (typeof port.port !== 'string' || reachedByName),
  );
}

export function isPeer(
  { ip, pod }: End,
  peer: PolicyPeer,
  policyNamespace: string | undefined,
  objects: KubeObjects,
): boolean {
  if (peer.ipBlock !== undefined) return isInBlock(ip, peer.ipBlock);
  return pod !== undefined && isSelected(pod, peer, policyNamespace, objects);
}
