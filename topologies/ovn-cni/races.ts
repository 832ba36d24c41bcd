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

/**
 * Each event in turn. What the plugin does is seen before the watcher has followed, and after; a
 * port that is bound directly behind its ADD is seen when the watcher knows neither. Every time
 * each of up to three pods tries to reach another, who may be a stranger by then.
 */
export function racesOf(order: string): Sequence {
  const happened = new Set<Event>();
  const followed = new Set<Event>();
  const steps: SequenceStep[] = [...asks('at-first', happened)];
  const seen = (what: string, when: string) =>
    steps.push(
      { kind: 'cluster', what, cluster: clusterOf(happened, followed) },
      ...asks(when, happened),
    );
  for (const [place, event] of ([...order] as Event[]).entries()) {
    happened.add(event);
    if ('abr'.includes(event)) seen(events[event], `${event}-happened`);
    if (order.slice(place, place + 2) === 'ab') continue;
    const isNews = event !== 'b' || !followed.has('a');
    for (const one of happened) followed.add(one);
    if (isNews) seen(`${events[event]}, and the watcher has followed`, `${event}-followed`);
  }
  return { cluster: clusterOf(new Set(), new Set()), steps };
}

/** They hold addresses, and are not bound. */
const others = ['other4', 'other5', 'other6'];

function clusterOf(happened: ReadonlySet<Event>, followed: ReadonlySet<Event>): OvnCniCluster {
  const { watched: _, ...cluster } = built(happened);
  const unbound = happened.has('a') && !happened.has('b') ? ['late.shop'] : [];
  return {
    ...withUnbound(cluster, [...others.map((name) => `${name}.shop`), ...unbound]),
    watched: built(followed).objects,
  };
}

function built(happened: ReadonlySet<Event>): OvnCniCluster & { readonly watched?: KubeObjects } {
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
    node('n2', '10.10.2.0/24'),
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
    ...(has('a') ? [pod('late', 'n2', '10.10.2.3', 'front')] : []),
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

function asks(when: string, happened: ReadonlySet<Event>): readonly SequenceStep[] {
  const senders = [
    happened.has('r') ? 'thief' : 'old',
    'client',
    ...(happened.has('b') ? ['late'] : []),
  ];
  const pairs = [
    ...senders.map((from) => [from, 'db', '10.10.1.2'] as const),
    ...(happened.has('a') ? [['db', 'late', '10.10.2.3'] as const] : []),
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
