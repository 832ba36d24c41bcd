/**
 * What the watcher wants of the northbound database: which ports take in everything, and a port
 * group with ACLs and address sets for each policy (the seed, "Securing containers"). A pure
 * function of the objects and the ports that are attached.
 */
import { sha256 } from '../../base/files/digest.js';
import { selects } from '../../kube/pod-selection.js';
import { aclsOf, type AttachedPort, type JoinedPort, type PolicyAcl } from './policy-acls.js';
import { hasEgress, rulesOf, stateOf, type Direction } from './policy-rules.js';

import type { Enforced, WatchedObjects, WatchedPolicy } from './watched-objects.js';

export interface PolicyGroup {
  readonly name: string;
  /** `shop/db-takes-shop` */
  readonly policy: string;
  /** UUIDs of ports. */
  readonly ports: readonly string[];
  readonly acls: readonly PolicyAcl[];
}

export interface RefusedPolicy {
  readonly policy: string;
  readonly uid?: string;
  readonly why: string;
}

export interface WantedRows {
  /** UUIDs of the ports that take in everything. */
  readonly pass: readonly string[];
  /** UUIDs of the ports that may send everything; missing where Egress is not enforced. */
  readonly passOut?: readonly string[];
  readonly groups: readonly PolicyGroup[];
  /** Addresses by the name of their set. */
  readonly sets: ReadonlyMap<string, readonly string[]>;
  /** Policies of which a part is not enforced, and why. */
  readonly refused: readonly RefusedPolicy[];
}

export function wantedRows(
  objects: WatchedObjects,
  attached: readonly AttachedPort[],
  enforced: Enforced,
): WantedRows {
  const joined = attached.flatMap((port) => joinedPort(port, objects));
  const groups: PolicyGroup[] = [];
  const sets = new Map<string, readonly string[]>();
  const isolated = { 'to-lport': new Set<AttachedPort>(), 'from-lport': new Set<AttachedPort>() };
  for (const one of joined) if (stateOf(one.namespace) === 'on') isolated['to-lport'].add(one.port);
  for (const policy of objects.policies) {
    const said = rulesOf(policy, objects, enforced);
    if (said.length === 0) continue;
    const selected = joined.filter(
      ({ pod }) =>
        pod.metadata.namespace === policy.metadata.namespace &&
        selects(policy.spec.podSelector ?? {}, pod.metadata.labels ?? {}),
    );
    for (const { direction } of said)
      for (const { port } of selected) isolated[direction].add(port);
    const name = groupOf(policy);
    const own = { name, namespace: policy.metadata.namespace };
    groups.push({
      name,
      policy: nameOf(policy),
      ports: selected.map(({ port }) => port.uuid),
      acls: said.flatMap((one) => aclsOf(own, one, { joined, selected, sets })),
    });
  }
  const outside = (direction: Direction) =>
    joined.filter(({ port }) => !isolated[direction].has(port)).map(({ port }) => port.uuid);
  return {
    pass: outside('to-lport'),
    ...(enforced === 'ingress' ? {} : { passOut: outside('from-lport') }),
    groups,
    sets,
    refused: enforced === 'ingress' ? refusedIn(objects) : [],
  };
}

function refusedIn({ policies }: WatchedObjects): readonly RefusedPolicy[] {
  return policies.filter(hasEgress).map((policy) => ({
    policy: nameOf(policy),
    ...(policy.metadata.uid === undefined ? {} : { uid: policy.metadata.uid }),
    why: 'it has Egress, and only what comes in is restricted',
  }));
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

function nameOf({ metadata }: WatchedPolicy): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Names of groups and sets are letters, digits and underscores (ovn-nb(5), Port_Group). */
function groupOf(policy: WatchedPolicy): string {
  return `ovn_cni_np_${sha256(nameOf(policy)).slice(0, 16)}`;
}
