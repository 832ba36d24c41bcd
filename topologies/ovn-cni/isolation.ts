/** A namespace as its annotation has it: without one, on, off, and on again with a policy. */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { ovnCniCluster } from './ovn-cni-cluster.js';
import type { OvnCniCluster } from './ovn-cni-topology.js';

type State = 'on' | 'off' | undefined;
type Policies = 'no policy' | 'a policy' | 'a policy without ingress';

const states: readonly (readonly [what: string, State, Policies])[] = [
  ['isolation is switched on', 'on', 'no policy'],
  ['a policy lets front in', 'on', 'a policy'],
  ['isolation is switched off', 'off', 'a policy'],
  ['the annotation goes: the policy is one of today', undefined, 'a policy'],
  ['isolation is on again', 'on', 'a policy without ingress'],
  ['the policy goes', 'on', 'no policy'],
  ['all is as it was', undefined, 'no policy'],
];

export const isolationChanges: Sequence = {
  cluster: clusterOf(undefined, 'no policy'),
  steps: [
    ...asks(0),
    ...states.flatMap(([what, state, policies], index): readonly SequenceStep[] => [
      { kind: 'cluster', what, cluster: clusterOf(state, policies) },
      ...asks(index + 1),
    ]),
  ],
};

function clusterOf(state: State, policies: Policies): OvnCniCluster {
  const pod = (name: string, nodeName: string, tier: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: { tier } },
    spec: { nodeName, containers: [{ name: 'c' }] },
  });
  const annotations = { 'net.alpha.kubernetes.io/network-isolation': state };
  const items = [
    ...[1, 2].map((index) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${index}` },
      spec: { podCIDR: `10.10.${index}.0/24` },
    })),
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', ...(state === undefined ? {} : { annotations }) },
    },
    pod('db', 'n1', 'db'),
    pod('front', 'n1', 'front'),
    pod('client', 'n2', 'none'),
    ...(policies === 'no policy'
      ? []
      : [
          {
            apiVersion: 'networking.k8s.io/v1',
            kind: 'NetworkPolicy',
            metadata: { name: 'db', namespace: 'shop' },
            spec: {
              podSelector: { matchLabels: { tier: 'db' } },
              ...(policies === 'a policy'
                ? { ingress: [{ from: [{ podSelector: { matchLabels: { tier: 'front' } } }] }] }
                : {}),
            },
          },
        ]),
  ];
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return ovnCniCluster([{ file: 'isolation', text }], 'ovn-cni-isolation', 'has followed');
}

function asks(index: number): readonly SequenceStep[] {
  return [
    ['front', '10.10.1.2'],
    ['client', '10.10.1.2'],
    ['db', '10.10.2.2'],
  ].map(([from = '', to = '']) =>
    vector(`${index}/udp/${from}/${to}`, { kind: 'udp', from: `${from}.shop`, to, port: 7 }),
  );
}

function vector(
  id: string,
  stimulus: Extract<SequenceStep, { readonly kind: 'vector' }>['vector']['stimulus'],
): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
