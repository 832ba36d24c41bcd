/** A timeline by hand: pods come to logical switches and leave them under traffic. */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Pod, Topology } from '../../harness/domain/topology.js';
import { macOf } from '../addresses.js';
import { ovnCluster } from './ovn-cluster.js';

/** p1 10.10.1.2, p2 10.10.1.3 on n1; p3 10.10.2.2, p4 10.10.2.3 on n2. */
const first = ovnCluster({ nodes: 2, podsPerNode: 2 });

const p5: Pod = { name: 'p5', ip: '10.10.1.4', mac: macOf('10.10.1.4') };
const withP5 = withPods(first, 'n1', (pods) => [...pods, p5]);
const withoutP3 = withPods(withP5, 'n2', (pods) => pods.filter(({ name }) => name !== 'p3'));
const withoutP2 = withPods(withoutP3, 'n1', (pods) => pods.filter(({ name }) => name !== 'p2'));

export const podsComeAndGo: Sequence = {
  cluster: first,
  steps: [
    asks('1-at-first', 'p1', '10.10.2.2'),
    asks('1-at-first', 'p1', '10.10.1.4'),
    vector('1-at-first/open/p1/p4', {
      kind: 'open',
      from: 'p1',
      to: '10.10.2.3',
      port: 7,
      connection: 'standing',
    }),
    { kind: 'cluster', what: 'pod p5 comes to n1', cluster: withP5 },
    asks('2-pod-comes', 'p5', '10.10.2.2'),
    asks('2-pod-comes', 'p4', '10.10.1.4'),
    asks('2-pod-comes', 'p1', '10.10.1.4'),
    talks('2-pod-comes'),
    { kind: 'cluster', what: 'pod p3 leaves n2', cluster: withoutP3 },
    asks('3-pod-leaves', 'p5', '10.10.2.3'),
    talks('3-pod-leaves'),
    { kind: 'cluster', what: 'pod p2 leaves n1', cluster: withoutP2 },
    asks('4-another-leaves', 'p5', '10.10.1.2'),
    asks('4-another-leaves', 'p1', '10.10.1.3'),
    talks('4-another-leaves'),
    { kind: 'cluster', what: 'all are back', cluster: first },
    asks('5-all-are-back', 'p3', '10.10.1.3'),
    asks('5-all-are-back', 'p2', '10.10.2.2'),
    asks('5-all-are-back', 'p2', '10.10.1.4'),
    talks('5-all-are-back'),
  ],
};

function withPods(
  cluster: Topology,
  on: string,
  change: (pods: readonly Pod[]) => readonly Pod[],
): Topology {
  return {
    ...cluster,
    nodes: cluster.nodes.map((node) =>
      node.name === on ? { ...node, pods: change(node.pods) } : node,
    ),
  };
}

function asks(when: string, from: string, to: string): SequenceStep {
  return vector(`${when}/udp/${from}/${to}`, { kind: 'udp', from, to, port: 7 });
}

function talks(when: string): SequenceStep {
  return vector(`${when}/talk/p1/p4`, {
    kind: 'talk',
    from: 'p1',
    to: '10.10.2.3',
    port: 7,
    connection: 'standing',
  });
}

function vector(
  id: string,
  stimulus: Extract<SequenceStep, { readonly kind: 'vector' }>['vector']['stimulus'],
): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
