/** Events in every order, at a node whose subnet has no address left. */
import { ordersOf } from './orders.js';
import type { KubeObjects } from '../../harness/kube/objects.js';
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { ovnCniCluster, withUnbound } from './ovn-cni-cluster.js';
import type { OvnCniCluster } from './ovn-cni-topology.js';

/** One letter each, in the order of the words of the axis. */
export const events = {
  a: 'a pod is added',
  b: 'its port is bound',
  p: 'a policy is created',
  n: 'its namespace is switched to isolation',
  s: 'a pod gets the label that the policy lets in',
  r: 'a pod is deleted, and its address given to another',
} as const;
type Event = keyof typeof events;

/** `abpnsr`, `abpnrs`, …: all orders in which a pod is added before its port is bound. */
export const orders: readonly string[] = ordersOf(Object.keys(events)).filter(
  (order) => order.indexOf('a') < order.indexOf('b'),
);

/** The first three events of an order: all orders that begin so are played on one cluster. */
export const beginnings: readonly string[] = [...new Set(orders.map((order) => order.slice(0, 3)))];

/**
 * Each event in turn. What the plugin does is seen before the watcher has followed, and after; a
 * port that is bound directly behind its ADD is seen when the watcher knows neither. Every time
 * each of up to three pods tries to reach another, who may be a stranger by then.
 */
export function racesOf(order: string): Sequence {
  const clusters = clusterBuilder(oneOrder);
  return { cluster: clusters.atFirst, steps: stepsOf(order, clusters, '') };
}

/** All orders that begin so, one after the other; between them all is as it was at first. */
export function allRacesOf(beginning: string): Sequence {
  const clusters = clusterBuilder(severalOrders);
  const played = orders.filter((order) => order.startsWith(beginning));
  return {
    cluster: clusters.atFirst,
    steps: played.flatMap((order, index): readonly SequenceStep[] => [
      ...(index === 0 ? [] : takenBack(clusters)),
      ...stepsOf(order, clusters, `${order}/`),
    ]),
  };
}

/** What n2 has beside the pods that events are about. */
interface Setting {
  readonly podCidr: string;
  readonly others: readonly string[];
  /** The address that a pod gets which is added. */
  readonly late: string;
}

const oneOrder: Setting = { podCidr: '10.10.2.0/24', others: [], late: '10.10.2.3' };

/** Who is added again can get one address alone: that of before. */
const severalOrders: Setting = {
  podCidr: '10.10.2.0/29',
  others: ['more3', 'more4', 'more5'],
  late: '10.10.2.6',
};

/** @param prefix of what vectors are called. */
function stepsOf(order: string, clusters: ClusterBuilder, prefix: string): SequenceStep[] {
  const happened = new Set<Event>();
  const followed = new Set<Event>();
  const { late } = clusters.setting;
  const steps: SequenceStep[] = [...asks(`${prefix}at-first`, happened, late)];
  const seen = (what: string, when: string) =>
    steps.push(
      { kind: 'cluster', what, cluster: clusters.of(happened, followed) },
      ...asks(`${prefix}${when}`, happened, late),
    );
  for (const [place, event] of ([...order] as Event[]).entries()) {
    happened.add(event);
    if ('abr'.includes(event)) seen(events[event], `${event}-happened`);
    if (order.slice(place, place + 2) === 'ab') continue;
    const isNews = event !== 'b' || !followed.has('a');
    for (const one of happened) followed.add(one);
    if (isNews) seen(`${events[event]}, and the watcher has followed`, `${event}-followed`);
  }
  return steps;
}

/** First who came goes, so that who was there before gets the numbers and the address back. */
function takenBack({ atFirst }: ClusterBuilder): readonly SequenceStep[] {
  const { watched = atFirst.objects } = atFirst;
  const without: OvnCniCluster = {
    ...atFirst,
    watched: { ...watched, pods: watched.pods.filter(({ metadata: { name } }) => name !== 'old') },
    nodes: atFirst.nodes.map((node) => ({
      ...node,
      pods: node.pods.filter(({ name }) => name !== 'old.shop'),
    })),
  };
  return [
    { kind: 'cluster', what: 'all that came goes', cluster: without },
    { kind: 'cluster', what: 'all is as it was at first', cluster: atFirst },
  ];
}

interface ClusterBuilder {
  readonly setting: Setting;
  readonly atFirst: OvnCniCluster;
  of(happened: ReadonlySet<Event>, followed: ReadonlySet<Event>): OvnCniCluster;
}

/** What has been built is not built again. */
function clusterBuilder(setting: Setting): ClusterBuilder {
  const known = new Map<string, ReturnType<typeof built>>();
  const builtOnce = (happened: ReadonlySet<Event>) => {
    const key = [...happened].toSorted().join('');
    const cluster = known.get(key) ?? built(happened, setting);
    known.set(key, cluster);
    return cluster;
  };
  const of: ClusterBuilder['of'] = (happened, followed) =>
    clusterOf(happened, setting, builtOnce(happened), builtOnce(followed));
  return { setting, atFirst: of(new Set(), new Set()), of };
}

/** They hold addresses, and are not bound. */
const others = ['other4', 'other5', 'other6'];

function clusterOf(
  happened: ReadonlySet<Event>,
  { others: more }: Setting,
  { watched: _, ...cluster }: ReturnType<typeof built>,
  { objects: watched }: ReturnType<typeof built>,
): OvnCniCluster {
  const unbound = happened.has('a') && !happened.has('b') ? ['late.shop'] : [];
  return {
    ...withUnbound(cluster, [...[...others, ...more].map((name) => `${name}.shop`), ...unbound]),
    watched,
  };
}

function built(
  happened: ReadonlySet<Event>,
  { podCidr, others: more, late }: Setting,
): OvnCniCluster & { readonly watched?: KubeObjects } {
  const has = (event: Event) => happened.has(event);
  const node = (name: string, podCIDR: string) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { podCIDR },
  });
  const pod = (name: string, nodeName: string, podIP: string, tier: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: { tier } },
    spec: { nodeName, containers: [{ name: 'c' }] },
    status: { podIP },
  });
  const items = [
    node('n1', '10.10.1.0/29'),
    node('n2', podCidr),
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'shop',
        ...(has('n') ? { annotations: { 'net.alpha.kubernetes.io/network-isolation': 'on' } } : {}),
      },
    },
    pod('db', 'n1', '10.10.1.2', 'db'),
    // Of the five addresses that n1 has, all are held: who comes gets that of who went.
    has('r') ? pod('thief', 'n1', '10.10.1.3', 'none') : pod('old', 'n1', '10.10.1.3', 'front'),
    ...others.map((name, index) => pod(name, 'n1', `10.10.1.${4 + index}`, 'none')),
    pod('client', 'n2', '10.10.2.2', has('s') ? 'front' : 'none'),
    ...more.map((name, index) => pod(name, 'n2', `10.10.2.${3 + index}`, 'none')),
    ...(has('a') ? [pod('late', 'n2', late, 'front')] : []),
    ...(has('p')
      ? [
          {
            apiVersion: 'networking.k8s.io/v1',
            kind: 'NetworkPolicy',
            metadata: { name: 'db-takes-front', namespace: 'shop' },
            spec: {
              podSelector: { matchLabels: { tier: 'db' } },
              policyTypes: ['Ingress'],
              ingress: [{ from: [{ podSelector: { matchLabels: { tier: 'front' } } }] }],
            },
          },
        ]
      : []),
  ];
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return ovnCniCluster([{ file: 'races', text }], 'ovn-cni-races', 'has followed');
}

function asks(when: string, happened: ReadonlySet<Event>, late: string): readonly SequenceStep[] {
  const senders = [
    happened.has('r') ? 'thief' : 'old',
    'client',
    ...(happened.has('b') ? ['late'] : []),
  ];
  const pairs = [
    ...senders.map((from) => [from, 'db', '10.10.1.2'] as const),
    ...(happened.has('a') ? [['db', 'late', late] as const] : []),
    ['db', 'thief or old', '10.10.1.3'] as const,
  ];
  return pairs.map(([from, name, to]) => ({
    kind: 'vector',
    vector: {
      id: `${when}/udp/${from}.shop/${name.replaceAll(' ', '-')}`,
      stimulus: { kind: 'udp', from: `${from}.shop`, to, port: 7 },
    },
  }));
}
