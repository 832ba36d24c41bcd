/**
 * What the watcher wants of the northbound database: which ports take in everything, and a port
 * group with ACLs and address sets for each policy (the seed, "Securing containers"). A pure
 * function of the objects and the ports that are attached.
 */
import { sha256 } from '../../base/files/digest.js';
import { selects } from '../../kube/pod-selection.js';

import type {
  WatchedNamespace,
  WatchedObjects,
  WatchedPeer,
  WatchedPod,
  WatchedPolicy,
  WatchedPort,
} from './watched-objects.js';

/** A logical port that is attached, and the pod that it says it is for. */
export interface AttachedPort {
  readonly uuid: string;
  readonly name: string;
  readonly ip: string;
  readonly namespace: string;
  readonly pod: string;
  /** Missing where the runtime did not say it. */
  readonly uid?: string;
}

export interface PolicyGroup {
  readonly name: string;
  /** `shop/db-takes-shop` */
  readonly policy: string;
  /** UUIDs of ports. */
  readonly ports: readonly string[];
  /** Matches of its ACLs, all to-lport and allow-related. */
  readonly matches: readonly string[];
}

export interface WantedRows {
  /** UUIDs of the ports that take in everything. */
  readonly pass: readonly string[];
  readonly groups: readonly PolicyGroup[];
  /** Addresses by the name of their set. */
  readonly sets: ReadonlyMap<string, readonly string[]>;
  /** Policies of which a part is not enforced, and why. */
  readonly refused: readonly { readonly policy: string; readonly why: string }[];
}

interface JoinedPort {
  readonly port: AttachedPort;
  readonly pod: WatchedPod;
  readonly namespace: WatchedNamespace;
}

export function wantedRows(objects: WatchedObjects, attached: readonly AttachedPort[]): WantedRows {
  const joined = attached.flatMap((port) => joinedPort(port, objects));
  const groups: PolicyGroup[] = [];
  const sets = new Map<string, readonly string[]>();
  const isolated = new Set<AttachedPort>();
  for (const one of joined) if (stateOf(one.namespace) === 'on') isolated.add(one.port);
  for (const policy of objects.policies) {
    const namespace = objects.namespaces.find(
      ({ metadata }) => metadata.name === policy.metadata.namespace,
    );
    const rules = namespace === undefined ? undefined : ingressOf(policy, stateOf(namespace));
    if (rules === undefined) continue;
    const selected = joined.filter(
      ({ pod }) =>
        pod.metadata.namespace === policy.metadata.namespace &&
        selects(policy.spec.podSelector ?? {}, pod.metadata.labels ?? {}),
    );
    for (const { port } of selected) isolated.add(port);
    const name = groupOf(policy);
    groups.push({
      name,
      policy: nameOf(policy),
      ports: selected.map(({ port }) => port.uuid),
      matches: rules.flatMap((rule, index) => {
        const set = `${name}_${index}`;
        const peers = rule.from ?? [];
        const addresses = joined.filter((one) =>
          peers.some((peer) => isPeer(peer, one, policy.metadata.namespace)),
        );
        if (peers.length > 0)
          sets.set(
            set,
            addresses.map(({ port }) => port.ip),
          );
        return portMatches(rule.ports ?? [], selected).map((ports) =>
          [`outport == @${name}`, 'ip4', ...sourceMatch(peers, set), ...ports].join(' && '),
        );
      }),
    });
  }
  return {
    pass: joined.filter(({ port }) => !isolated.has(port)).map(({ port }) => port.uuid),
    groups,
    sets,
    refused: objects.policies.filter(hasEgress).map((policy) => ({
      policy: nameOf(policy),
      why: 'it has Egress, and only what comes in is restricted',
    })),
  };
}

/** The pod that the port is for: a port of an earlier pod of this name is nobody's. */
function joinedPort(port: AttachedPort, objects: WatchedObjects): readonly JoinedPort[] {
  const pod = objects.pods.find(
    ({ metadata }) =>
      metadata.name === port.pod &&
      metadata.namespace === port.namespace &&
      (port.uid === undefined || metadata.uid === undefined || metadata.uid === port.uid),
  );
  const namespace = objects.namespaces.find(({ metadata }) => metadata.name === port.namespace);
  return pod === undefined || namespace === undefined ? [] : [{ port, pod, namespace }];
}

const annotation = 'net.alpha.kubernetes.io/network-isolation';

function stateOf({ metadata }: WatchedNamespace): 'on' | 'off' | undefined {
  const value = metadata.annotations?.[annotation];
  return value === 'on' || value === 'off' ? value : undefined;
}

type Rule = NonNullable<WatchedPolicy['spec']['ingress']>[number];

/** The rules of a policy for what comes in; undefined where it has no say in that. */
function ingressOf(
  { spec }: WatchedPolicy,
  state: 'on' | 'off' | undefined,
): readonly Rule[] | undefined {
  switch (state) {
    case 'off':
      return undefined;
    case 'on':
      return spec.ingress ?? [{}];
    case undefined:
      // Kubernetes API reference, NetworkPolicySpec: Ingress where no types are said.
      return spec.policyTypes === undefined || spec.policyTypes.includes('Ingress')
        ? (spec.ingress ?? [])
        : undefined;
  }
}

function hasEgress({ spec }: WatchedPolicy): boolean {
  return spec.egress !== undefined || spec.policyTypes?.includes('Egress') === true;
}

function nameOf({ metadata }: WatchedPolicy): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Names of groups and sets are letters, digits and underscores (ovn-nb(5), Port_Group). */
function groupOf(policy: WatchedPolicy): string {
  return `ovn_cni_np_${sha256(nameOf(policy)).slice(0, 16)}`;
}

function isPeer(
  { podSelector, namespaceSelector, ipBlock }: WatchedPeer,
  { pod, namespace }: JoinedPort,
  own: string,
): boolean {
  if (ipBlock !== undefined) return false;
  const inNamespace =
    namespaceSelector === undefined
      ? namespace.metadata.name === own
      : selects(namespaceSelector, namespace.metadata.labels ?? {});
  return inNamespace && selects(podSelector ?? {}, pod.metadata.labels ?? {});
}

function sourceMatch(peers: readonly WatchedPeer[], set: string): readonly string[] {
  if (peers.length === 0) return [];
  const blocks = peers.flatMap(({ ipBlock }) => {
    if (ipBlock === undefined || ipBlock.cidr.includes(':')) return [];
    const except = (ipBlock.except ?? []).map((block) => `ip4.src != ${block}`);
    return [`(${[`ip4.src == ${ipBlock.cidr}`, ...except].join(' && ')})`];
  });
  return [`(${[`ip4.src == $${set}`, ...blocks].join(' || ')})`];
}

/** Alternatives, each a list of conditions; one without conditions where no ports are said. */
function portMatches(
  ports: readonly WatchedPort[],
  selected: readonly JoinedPort[],
): readonly (readonly string[])[] {
  if (ports.length === 0) return [[]];
  return ports.flatMap(({ protocol = 'TCP', port, endPort }): readonly (readonly string[])[] => {
    const transport = protocol.toLowerCase();
    if (port === undefined) return [[transport]];
    if (typeof port === 'number')
      return [
        endPort === undefined
          ? [`${transport}.dst == ${port}`]
          : [`${transport}.dst >= ${port}`, `${transport}.dst <= ${endPort}`],
      ];
    // A name stands for a number of its own in each pod.
    return selected.flatMap(({ port: { name }, pod }) =>
      (pod.spec.containers ?? [])
        .flatMap((container) => container.ports ?? [])
        .filter((one) => one.name === port && (one.protocol ?? 'TCP') === protocol)
        .map((one) => [
          `outport == ${JSON.stringify(name)}`,
          `${transport}.dst == ${one.containerPort}`,
        ]),
    );
  });
}
