/**
 * Pods come and go in random order on three nodes, and policies change meanwhile: in the end
 * nothing is there that was not there at first.
 */
import { formatIpv4, parseCidr } from '../../harness/base/addresses/mac-and-ipv4.js';
import { randomFor, type Random } from '../../harness/base/random.js';
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { ovnCniCluster } from './ovn-cni-cluster.js';
import type { OvnCniCluster } from './ovn-cni-topology.js';

interface ChurningPod {
  readonly name: string;
  readonly node: string;
  readonly ip: string;
  readonly tier: string;
}

const nodes = ['n1', 'n2', 'n3'] as const;
type NodeName = (typeof nodes)[number];
/** Who comes often gets the address of one who went. */
const containersPerNode = 13;
const subnetOf = (node: NodeName) => `10.10.${nodes.indexOf(node) + 1}.0/28`;
const tiers = ['front', 'back', 'db'] as const;
const policies = ['none', 'front-to-db', 'all-isolated', 'back-and-front'] as const;

/** Pods that come, or go, in one step. */
const together = 8;
const vectorsPerStep = 6;

/** @param pods how many come, and how many go. */
export function churnOf(pods: number): Sequence {
  const random = randomFor(1, `churn of ${pods} pods`);
  const pools = new Map(nodes.map((node) => [node, addressPool(subnetOf(node))]));
  const steps: SequenceStep[] = [];
  const there: ChurningPod[] = [];
  let [came, policy]: [number, (typeof policies)[number]] = [0, 'none'];
  for (let step = 1; came < pods || there.length > 0; step++) {
    const changes = came < pods ? Math.min(together, pods) : there.length;
    const leaving = came < pods ? Math.min(there.length, random.integer(0, changes)) : changes;
    const left = Array.from({ length: leaving }, () => takeAny(there, random));
    for (const { node, ip } of left) pools.get(node as NodeName)?.release(ip);
    const arrived = arrivals(Math.min(changes - leaving, pods - came), came, pools, random);
    came += arrived.length;
    there.push(...arrived);
    policy = policies[random.integer(0, policies.length - 1)] ?? 'none';
    const what = `${left.length} pods go, ${arrived.length} come, policy: ${policy}`;
    steps.push(
      { kind: 'cluster', what, cluster: clusterOf(there, policy) },
      ...asks(step, there, left, random),
    );
  }
  return { cluster: clusterOf([], 'none'), steps };
}

type Pools = ReadonlyMap<NodeName, ReturnType<typeof addressPool>>;

/** Each at a node that has an address; none where all are held. */
function arrivals(
  count: number,
  came: number,
  pools: Pools,
  random: Random,
): readonly ChurningPod[] {
  // A runtime calls the plugin node by node here, so addresses are taken in this order.
  const chosen = Array.from({ length: count }, () => nodes[random.integer(0, 2)] ?? 'n1');
  return nodes
    .flatMap((node) => chosen.filter((one) => one === node))
    .flatMap((node) => {
      const ip = pools.get(node)?.take();
      const tier = tiers[random.integer(0, 2)] ?? 'db';
      return ip === undefined ? [] : [{ node, ip, tier }];
    })
    .map((pod, index) => ({ name: `p${came + index + 1}`, ...pod }));
}

/**
 * As the plugin's addresses: the lowest that nobody has had, else the lowest of those that somebody
 * has had, which are then all forgotten.
 */
function addressPool(subnet: string) {
  const first = parseCidr(subnet).number + 2;
  const all = Array.from({ length: containersPerNode }, (_, index) => formatIpv4(first + index));
  const held = new Set<string>();
  const released = new Set<string>();
  const free = () => all.find((ip) => !held.has(ip) && !released.has(ip));
  return {
    take: (): string | undefined => {
      if (free() === undefined) released.clear();
      const ip = free();
      if (ip !== undefined) held.add(ip);
      return ip;
    },
    release: (ip: string): void => {
      held.delete(ip);
      released.add(ip);
    },
  };
}

function takeAny(pods: ChurningPod[], random: Random): ChurningPod {
  const [pod] = pods.splice(random.integer(0, pods.length - 1), 1);
  if (pod === undefined) throw new RangeError('there is no pod that could go');
  return pod;
}

/**
 * Between pods that are there, and from a neighbour to an address whose pod has gone: elsewhere the
 * router would ask for it, which ovn-controller does.
 */
function asks(
  step: number,
  there: readonly ChurningPod[],
  left: readonly ChurningPod[],
  random: Random,
): readonly SequenceStep[] {
  const any = <T>(of: readonly T[]) => of[random.integer(0, Math.max(0, of.length - 1))];
  const gone = any(left.filter(({ ip }) => there.every((one) => one.ip !== ip)));
  const pairs = [
    [any(there.filter(({ node }) => node === gone?.node)), gone],
    ...Array.from({ length: vectorsPerStep - 1 }, () => {
      const from = any(there);
      return [from, any(there.filter((one) => one !== from))] as const;
    }),
  ];
  return pairs.flatMap(([from, to], index) => {
    if (from === undefined || to === undefined) return [];
    const id = `${step}/${index}/udp/${from.name}/${to.name}`;
    const stimulus = { kind: 'udp', from: `${from.name}.shop`, to: to.ip, port: 7 } as const;
    return [{ kind: 'vector', vector: { id, stimulus } } as const];
  });
}

function clusterOf(
  there: readonly ChurningPod[],
  policy: (typeof policies)[number],
): OvnCniCluster {
  const from = (tier: string) => ({ podSelector: { matchLabels: { tier } } });
  const networkPolicy = (name: string, tier: string, peers: readonly object[]) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: 'shop' },
    spec: { podSelector: { matchLabels: { tier } }, ingress: [{ from: peers }] },
  });
  const annotations = { 'net.alpha.kubernetes.io/network-isolation': 'on' };
  const items = [
    ...nodes.map((name) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: { podCIDR: subnetOf(name) },
    })),
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', ...(policy === 'all-isolated' ? { annotations } : {}) },
    },
    ...there.map(({ name, node, ip, tier }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', labels: { tier } },
      spec: { nodeName: node, containers: [{ name: 'c' }] },
      status: { podIP: ip },
    })),
    ...(policy === 'none' ? [] : [networkPolicy('db', 'db', [from('front')])]),
    ...(policy === 'back-and-front'
      ? [networkPolicy('back', 'back', [from('front'), from('back')])]
      : []),
  ];
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return ovnCniCluster([{ file: 'churn', text }], 'ovn-cni-churn', 'has followed');
}
