// Goal: what has a number keeps it while pods and policies come and go, no number changes hands within a change, and an agent that starts anew gives out
// none that stands on its switch. Method: three pods and two policies; one of each leaves, one comes, the agent restarts; ports and ids are read from the plans.
import t from 'tap';
import { readCluster } from '../../../topologies/kubernetes.js';
import type { ClusterPlan } from '../../nouns/plan.js';
import { allocate } from '../numbers.js';
import { antrea } from './index.js';

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
const pod = (name: string, last: number) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { nodeName: 'n1' }, status: { podIP: `10.10.1.${last}` } });
const policy = (name: string) => ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name }, spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] } });
const clusterOf = (...objects: readonly object[]) => readCluster([{ file: 'f', text: objects.map((object) => JSON.stringify(object)).join('\n---\n') }], { name: 'x', tunnel: 'geneve' });
const portsOf = ({ nodes }: ClusterPlan) => nodes[0]?.bridges[0]?.ports.map(({ name, ofport }) => `${name.split('-')[0]} ${ofport}`).slice(2);
const idsOf = ({ nodes }: ClusterPlan) => [...new Set((nodes[0]?.bridges[0]?.flows ?? []).flatMap((flow) => [...flow.matchAll(/conj_id=(\d+)/g)].map(([, id]) => Number(id))))];

void t.test('numbers', async (t) => {
  t.strictSame(allocate(['a', 'b'], {}, 3), { a: 3, b: 4 });
  t.strictSame(allocate(['b', 'c', 'd'], { a: 3, b: 4 }, 3), { b: 4, c: 5, d: 6 }, 'what a had stays free for now');
  t.strictSame(allocate(['b', 'c', 'e'], { b: 4, c: 5 }, 3), { b: 4, c: 5, e: 3 }, 'and is taken later');
});

void t.test('ports and ids', async (t) => {
  const before = antrea('0.8').plan(clusterOf(node, pod('a', 2), pod('b', 3), pod('c', 4), policy('p'), policy('q')));
  t.strictSame([portsOf(before), idsOf(before)], [['a 3', 'b 4', 'c 5'], [1, 2]]);
  const network = clusterOf(node, pod('a', 2), pod('d', 9), pod('c', 4), policy('q'), policy('r'));
  const after = antrea('0.8').plan(network, before);
  t.strictSame([portsOf(after), idsOf(after)], [['a 3', 'd 6', 'c 5'], [2, 3]]);
  t.strictSame(antrea('0.8').plan(network, after), after, 'the same again');
  const restarted = antrea('0.8').restarted?.(after, 'n1');
  t.strictSame(antrea('0.8').restarted?.(after, 'n2'), after, 'of another node');
  const anew = antrea('0.8').plan(network, restarted);
  t.strictSame([portsOf(anew), idsOf(anew)], [['a 3', 'd 6', 'c 5'], [4, 5]]);
  t.ok(anew.nodes.every(({ bridges }) => bridges.every(({ flows }) => flows.every((flow) => flow.startsWith('cookie=0x1000000000000,')))), 'in its own round');
  const fewer = antrea('0.8').plan(clusterOf(node, policy('q')), anew);
  t.strictSame(idsOf(antrea('0.8').plan(network, fewer)), [4, 5], 'ids of the round before stay unused');
});
