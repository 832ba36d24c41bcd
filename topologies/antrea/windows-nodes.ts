/** A timeline by hand: a node joins a Windows node, with a pod, and leaves again. */
import type { AntreaCluster, TrafficMode } from './antrea-topology.js';
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { TestVector } from '../../harness/domain/test-vector.js';
import { apply, manifestsOf, remove } from '../changing-cluster.js';
import { antreaClusterOf } from './read-antrea-cluster.js';
import { onWindows } from './windows-services.js';

const first = manifestsOf(`
{ apiVersion: v1, kind: Node, metadata: { name: n1 } }
---
{ apiVersion: v1, kind: Node, metadata: { name: n2 } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: near }, spec: { nodeName: n1 } }
`);
const joining = manifestsOf(`
{ apiVersion: v1, kind: Node, metadata: { name: n3 }, spec: { podCIDR: 10.10.3.0/24 }, status: { addresses: [{ type: InternalIP, address: 172.30.0.3 }] } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: far }, spec: { nodeName: n3 }, status: { podIP: 10.10.3.2 } }
`);

/** n1 runs Windows, and what joins it `system`. */
export function windowsNodesChange(
  mode: TrafficMode,
  system: 'windows' | 'linux',
): Sequence<AntreaCluster> {
  const before = antreaClusterOf(first, { name: `windows-nodes-${mode}`, tunnel: 'geneve' });
  const joined = apply(before, joining);
  const left = remove(joined, { kind: 'Node', metadata: { name: 'n3' } });
  const becomes = (what: string, { cluster }: typeof before): SequenceStep<AntreaCluster> => ({
    kind: 'cluster',
    what,
    cluster: onWindows(cluster, mode, system),
  });
  const sends = (when: string, ...from: readonly string[]) =>
    from.map(
      (sender): SequenceStep<AntreaCluster> => ({ kind: 'vector', vector: ping(when, sender) }),
    );
  return {
    cluster: onWindows(before.cluster, mode, system),
    steps: [
      ...sends('1-before', 'near', 'n1'),
      becomes('a node joins', joined),
      ...sends('2-a-node-joins', 'near', 'n1', 'far'),
      becomes('it leaves', left),
      ...sends('3-it-leaves', 'near', 'n1'),
      becomes('it joins again', apply(left, joining)),
      ...sends('4-it-joins-again', 'n1', 'near'),
    ],
  };
}

/** To the pod of the node that joins, or from it to the one that is there. */
function ping(when: string, from: string): TestVector {
  return {
    id: `${when}/ping/${from}`,
    stimulus: { kind: 'ping', from, to: from === 'far' ? '10.10.1.2' : '10.10.3.2' },
  };
}
