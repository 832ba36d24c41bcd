/**
 * NetworkPolicies as ovn-kubernetes has them in OVN: for each policy and direction a port group of
 * the pods that it is about, with an ACL a rule, its peers in an address set; and for all pods that
 * some policy isolates in a direction, a port group with an ACL that drops.
 */
import { sha256 } from '../../base/files/digest.js';
import { selectedPods } from '../../kube/pod-selection.js';
import type { Cluster } from '../../kube/objects.js';
import type { NetworkPolicy, PolicyPeer, PolicyPort } from '../../kube/schemas/policies.js';
import type { KubePod } from '../../kube/schemas/workloads.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import { portCondition } from './policy-ports.js';
import { map, references, set } from './row.js';

/** ovn-kubernetes' DefaultAllowPriority and DefaultDenyPriority. */
const priorities = { allow: 1001, deny: 1000 } as const;

/**
 * What is different between both directions: of a pod's traffic, `to-lport` is what comes to it.
 * What it sends is judged behind load balancers (ovn-nb(5), ACL, "apply-after-lb").
 */
const directions = {
  Ingress: { acl: 'to-lport', own: 'outport', peer: 'src', options: {} },
  Egress: { acl: 'from-lport', own: 'inport', peer: 'dst', options: { 'apply-after-lb': 'true' } },
} as const;
type Direction = keyof typeof directions;

interface Rule {
  readonly peers: readonly PolicyPeer[];
  readonly ports: readonly PolicyPort[];
}

/** @param local the nodes of the zone: port groups are of its ports alone. */
export function policyRows(cluster: Cluster, local: readonly Node[]): readonly NorthboundRow[] {
  const { networkPolicies } = cluster.objects;
  if (networkPolicies.length === 0) return [];
  const rows: NorthboundRow[] = [];
  for (const direction of ['Ingress', 'Egress'] as const) {
    const isolated = new Set<string>();
    for (const policy of networkPolicies) {
      const rules = rulesOf(policy, direction);
      if (rules === undefined) continue;
      const pods = subjectsOf(cluster, policy);
      const ports = portsOf(pods, local);
      for (const port of ports) isolated.add(port);
      rows.push(...groupRows(cluster, policy, direction, rules, pods, ports));
    }
    rows.push(...denyRows(direction, [...isolated]));
  }
  return rows;
}

/** Undefined where the policy has no say in that direction (NetworkPolicySpec, "policyTypes"). */
function rulesOf({ spec }: NetworkPolicy, direction: Direction): readonly Rule[] | undefined {
  const types = spec.policyTypes ?? ['Ingress', ...(spec.egress === undefined ? [] : ['Egress'])];
  if (!types.includes(direction)) return undefined;
  return direction === 'Ingress'
    ? (spec.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }))
    : (spec.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }));
}

function subjectsOf({ objects }: Cluster, { metadata, spec }: NetworkPolicy): readonly KubePod[] {
  return selectedPods(objects, { podSelector: spec.podSelector }, metadata.namespace);
}

/** Names of the logical ports that pods have in the zone. */
function portsOf(pods: readonly KubePod[], local: readonly Node[]): readonly string[] {
  const addresses = new Set(pods.map(({ status }) => status?.podIP));
  return local
    .flatMap((node) => node.pods)
    .filter(({ ip }) => addresses.has(ip))
    .map(({ name }) => name);
}

function groupRows(
  cluster: Cluster,
  policy: NetworkPolicy,
  direction: Direction,
  rules: readonly Rule[],
  pods: readonly KubePod[],
  ports: readonly string[],
): readonly NorthboundRow[] {
  const { namespace, name } = policy.metadata;
  const what = `${namespace}/${name} ${direction}`;
  const group = `np_${sha256(what).slice(0, 12)}`;
  const made = rules.map((rule, index) => {
    const addressSet = `${group}_${index}`;
    const { own } = directions[direction];
    const conditions = [
      `${own} == @${group}`,
      ...peerCondition(rule.peers, addressSet, directions[direction].peer),
      ...portCondition(
        rule.ports,
        direction === 'Ingress'
          ? { pods, others: 'nobody' }
          : {
              pods: namedAmong(cluster, policy, rule),
              others: isOfPods(rule) ? 'nobody' : 'some',
            },
      ),
    ];
    return {
      set: addressSetRow(cluster, policy, rule, addressSet),
      acl: aclRow(`ACL ${what} ${index}`, direction, 'allow', conditions.join(' && ')),
    };
  });
  return [
    portGroup(
      group,
      ports,
      made.map(({ acl }) => acl.id),
    ),
    ...made.flatMap(({ set: addresses, acl }) => [addresses, acl]),
  ];
}

function denyRows(direction: Direction, ports: readonly string[]): readonly NorthboundRow[] {
  const group = `deny_${direction.toLowerCase()}`;
  const { own } = directions[direction];
  const acls = [
    aclRow(`ACL ${group} ARP`, direction, 'allow', `${own} == @${group} && (arp || nd)`),
    aclRow(`ACL ${group}`, direction, 'deny', `${own} == @${group}`),
  ];
  return ports.length === 0
    ? []
    : [
        portGroup(
          group,
          ports,
          acls.map(({ id }) => id),
        ),
        ...acls,
      ];
}

function portGroup(name: string, ports: readonly string[], acls: readonly string[]): NorthboundRow {
  return {
    table: 'Port_Group',
    id: `port group ${name}`,
    columns: {
      name,
      ports: references(...ports.map((port) => `switch port ${port}`)),
      acls: references(...acls),
    },
  };
}

function aclRow(
  id: string,
  direction: Direction,
  verdict: keyof typeof priorities,
  match: string,
): NorthboundRow {
  const { acl, options } = directions[direction];
  return {
    table: 'ACL',
    id,
    columns: {
      direction: acl,
      priority: priorities[verdict],
      match,
      action: verdict === 'allow' ? 'allow-related' : 'drop',
      ...(Object.keys(options).length === 0 ? {} : { options: map(options) }),
    },
  };
}

function peersOf(
  { objects }: Cluster,
  { metadata }: NetworkPolicy,
  { peers }: Rule,
): readonly KubePod[] {
  return peers.flatMap((peer) =>
    peer.ipBlock === undefined ? selectedPods(objects, peer, metadata.namespace) : [],
  );
}

function isOfPods({ peers }: Rule): boolean {
  return peers.length > 0 && peers.every(({ ipBlock }) => ipBlock === undefined);
}

/** Whose names of ports are meant of what goes out: the peers', and without peers everybody's. */
function namedAmong(cluster: Cluster, policy: NetworkPolicy, rule: Rule): readonly KubePod[] {
  return rule.peers.length > 0
    ? peersOf(cluster, policy, rule)
    : cluster.objects.pods.filter(({ spec }) => !spec.hostNetwork);
}

function addressSetRow(
  cluster: Cluster,
  policy: NetworkPolicy,
  rule: Rule,
  name: string,
): NorthboundRow {
  const addresses = peersOf(cluster, policy, rule).flatMap(({ status }) => status?.podIP ?? []);
  return {
    table: 'Address_Set',
    id: `address set ${name}`,
    columns: { name, addresses: set(...new Set(addresses)) },
  };
}

/** Nothing where there are no peers: then everybody is one. */
function peerCondition(
  peers: readonly PolicyPeer[],
  addressSet: string,
  end: 'src' | 'dst',
): readonly string[] {
  if (peers.length === 0) return [];
  const blocks = peers.flatMap(({ ipBlock }) => {
    if (ipBlock === undefined || ipBlock.cidr.includes(':')) return [];
    const except = (ipBlock.except ?? []).map((block) => `ip4.${end} != ${block}`);
    return [`(${[`ip4.${end} == ${ipBlock.cidr}`, ...except].join(' && ')})`];
  });
  return [`(${[`ip4.${end} == $${addressSet}`, ...blocks].join(' || ')})`];
}
