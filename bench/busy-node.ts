/**
 * One node of a busy Antrea cluster, of any size: the pipeline of its agent, with policies in the
 * tables where Antrea keeps them, and packets for it.
 */
import { formatIpv4, ipv4Number } from '../harness/base/addresses/mac-and-ipv4.js';
import { assert } from '../harness/base/errors/errors.js';
import { randomFor, type Random } from '../harness/base/random.js';
import { antrea } from '../harness/control/antrea/index.js';
import type { NodePlan } from '../harness/domain/plan/cluster-plan.js';
import { antreaCluster } from '../topologies/antrea/antrea-cluster.js';

export interface NodeSize {
  readonly flows: number;
  /** Of them parts of conjunctions. */
  readonly parts: number;
}

export const nodes = 100;
export const podsPerNode = 30;
export const seed = 1;

/** A node with exactly so many flows on br-int. No two flows of equal priority match one packet. */
export function busyNode({ flows, parts }: NodeSize): NodePlan {
  const [node] = antrea('0.8').plan(antreaCluster({ nodes, podsPerNode, tunnel: 'geneve' })).nodes;
  assert(node !== undefined, 'the cluster has nodes');
  const policies = ([50, 90] as const).flatMap((table) =>
    networkPolicies(randomFor(seed, `policies of ${table}`), table, parts / 2),
  );
  const bridges = node.bridges.map((bridge) => {
    if (bridge.name !== 'br-int') return bridge;
    const left = flows - bridge.flows.length - policies.length;
    assert(left >= 0, `${flows} flows have room for ${parts} parts of conjunctions`);
    const rules = (
      [
        [45, Math.ceil(left / 2)],
        [85, Math.floor(left / 2)],
      ] as const
    ).flatMap(([table, count]) =>
      clusterPolicies(randomFor(seed, `rules of ${table}`), table, count),
    );
    return { ...bridge, flows: [...bridge.flows, ...policies, ...rules] };
  });
  return { ...node, bridges };
}

/** What one policy of a namespace is made of, beside a block of addresses. */
const aPolicy = { podsHere: 3, peers: 4, ports: 3 } as const;

/**
 * Policies of namespaces, as conjunctions of pods here, their peers, and ports. Flows with one
 * match are one flow, which is part of several conjunctions; no port is in two policies.
 */
function networkPolicies(random: Random, table: 50 | 90, parts: number): readonly string[] {
  const [here, there, next] =
    table === 50 ? (['nw_src', 'nw_dst', 70] as const) : (['nw_dst', 'nw_src', 105] as const);
  const found = new Map<string, string[]>();
  const ids: number[] = [];
  while (found.size < parts) {
    const id = table * 100_000 + ids.length;
    const clauses = [
      ...times(
        aPolicy.ports,
        (index) => [`tcp,tp_dst=${ids.length * aPolicy.ports + index + 1}`, 3] as const,
      ),
      ...times(
        aPolicy.podsHere,
        () => [`ip,${here}=${podAddress(1, random.integer(0, podsPerNode - 1))}`, 1] as const,
      ),
      ...times(aPolicy.peers, () => [`ip,${there}=${anyPod(random)}`, 2] as const),
      [
        `ip,${there}=${podAddress(random.integer(0, Math.floor(nodes / 16)) * 16, -2)}/20`,
        2,
      ] as const,
    ];
    for (const [match, clause] of new Map(clauses))
      if (found.has(match) || found.size < parts)
        found.set(match, [...(found.get(match) ?? []), `conjunction(${id},${clause}/3)`]);
    ids.push(id);
  }
  return [
    ...[...found].map(
      ([match, conjunctions]) =>
        `table=${table},priority=200,${match} actions=${conjunctions.join(',')}`,
    ),
    ...ids.map(
      (id, index) =>
        `table=${table},priority=190,conj_id=${id},ip ` +
        `actions=load:${index + 1}->NXM_NX_REG6[],goto_table:${next}`,
    ),
  ];
}

/** Rules of cluster policies, in an order of their own each. */
function clusterPolicies(random: Random, table: number, count: number): readonly string[] {
  const next = table === 45 ? 70 : 105;
  return Array.from(
    { length: count },
    (_, index) =>
      `table=${table},priority=${1 + index},${anyMatch(random)} ` +
      `actions=${random.integer(0, 3) === 0 ? 'drop' : `goto_table:${next}`}`,
  );
}

function anyMatch(random: Random): string {
  switch (random.integer(0, 4)) {
    case 0:
      return `ip,nw_src=${anyPod(random)},nw_dst=${anyPod(random)}`;
    case 1:
      return `tcp,nw_dst=${anyPod(random)},tp_dst=${random.integer(1, ports)}`;
    case 2:
      return `udp,nw_src=${anyPod(random)},tp_dst=${random.integer(1, ports)}`;
    case 3:
      return (
        `tcp,nw_src=10.${random.integer(11, 250)}.${random.integer(0, 255)}.0/24,` +
        `tp_dst=${random.integer(1, ports)}`
      );
    default:
      return (
        'ip,' +
        `nw_dst=172.${random.integer(32, 250)}` +
        `.${random.integer(0, 255)}.${random.integer(0, 15) * 16}/28`
      );
  }
}

export const ports = 2000;

function anyPod(random: Random): string {
  return podAddress(random.integer(1, nodes), random.integer(0, podsPerNode - 1));
}

export function podAddress(node: number, pod: number): string {
  return formatIpv4(ipv4Number('10.10.0.0') + node * 256 + 2 + pod);
}

export function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
