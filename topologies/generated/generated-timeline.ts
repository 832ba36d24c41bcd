/** Timelines from a seed: what comes and goes, restarts, and is sent, at random. */
import { randomFor, type Random } from '../../harness/base/random.js';
import { type ChangingCluster, type Manifest } from '../changing-cluster.js';
import { antreaClusterOf } from '../antrea/read-antrea-cluster.js';
import { pod } from './generated-policies.js';
import { clusterNetworkPolicy, networkPolicy } from './draw-policies.js';
import { endpointPod, hostPod, hostsOutside, service, slice } from './generated-services.js';
import type { ClusterEvent } from '../cluster-event.js';
import type { TimelineDrawing } from './timeline-drawing.js';
import {
  atFirst,
  count,
  hostsAmong,
  manifestOf,
  namespace,
  node,
  nodesOf,
  oneOf,
  servicesAmong,
  someNode,
} from './timeline-drawing.js';
import { opening, packets } from './draw-packets.js';
import { change } from './draw-change.js';

/** Under which of Antrea's pipelines it is played: Services are asked for under either. */
export interface GeneratedTimeline {
  readonly pipeline: '0.8' | '1.3';
  readonly first: ChangingCluster;
  readonly events: readonly ClusterEvent[];
}

/**
 * A small cluster under policies, and `events` changes of it, with packets behind each. Every
 * second timeline has Services as well, in turn by AntreaProxy and by kube-proxy.
 */
export function generatedTimeline(seed: number, index: number, events: number): GeneratedTimeline {
  const random = randomFor(seed, `history ${index}`); // the label that draws have always come from
  const hasServices = index % 2 === 1;
  const first = antreaClusterOf(
    [
      ...count(atFirst.nodes, node),
      ...['shop', 'lab'].map((name) => namespace(random, name)),
      ...count(atFirst.pods, (number) =>
        hasServices
          ? endpointPod(random, number, atFirst)
          : manifestOf(pod(random, number, atFirst)),
      ),
      ...count(atFirst.networkPolicies, (number) =>
        manifestOf(networkPolicy(random, number, atFirst)),
      ),
      ...count(atFirst.clusterNetworkPolicies, (number) =>
        manifestOf(clusterNetworkPolicy(random, number, atFirst)),
      ),
      ...(hasServices ? ofServicesAtFirst(random) : []),
    ],
    {
      name: `timeline-${index}`,
      tunnel: 'geneve',
      ...(hasServices ? { externalHosts: hostsOutside } : {}),
    },
  );
  const drawing: TimelineDrawing = {
    random,
    live: [...first.manifests],
    names: hostsAmong(first.manifests),
    asked: servicesAmong(first.manifests),
    connections: [],
    numbers: {
      pods: atFirst.pods,
      networkPolicies: atFirst.networkPolicies,
      clusterNetworkPolicies: atFirst.clusterNetworkPolicies,
      services: hasServices ? atFirst.services : 0,
      sendings: 0,
    },
  };
  return {
    pipeline: index % 4 === 1 ? '1.3' : '0.8',
    first,
    events: [
      ...packets(drawing, [opening(drawing), opening(drawing)]),
      ...count(events, () => [event(drawing), ...packets(drawing)]).flat(),
    ],
  };
}

function event(drawing: TimelineDrawing): ClusterEvent {
  const { random } = drawing;
  return oneOf(random, [
    [31, () => change(drawing)],
    [2, () => ({ kind: 'switch restarts', node: someNode(drawing), meanwhile: packets(drawing) })],
    [2, () => ({ kind: 'agent restarts', node: someNode(drawing), meanwhile: packets(drawing) })],
    [4, () => agentIsGone(drawing, someNode(drawing))],
    [6, () => notAllHear(drawing)],
  ]);
}

function agentIsGone(drawing: TimelineDrawing, node: string): ClusterEvent {
  const { random } = drawing;
  const meanwhile = count(random.integer(1, 3), (): readonly ClusterEvent[] => [
    oneOf<ClusterEvent>(random, [
      [5, () => change(drawing)],
      [1, () => ({ kind: 'switch restarts', node, meanwhile: packets(drawing) })],
    ]),
    ...packets(drawing),
  ]).flat();
  return { kind: 'agent is gone', node, meanwhile };
}

/** All nodes but one at most are late. */
function notAllHear(drawing: TimelineDrawing): ClusterEvent {
  const { random } = drawing;
  const late = nodesOf(drawing)
    .map((name) => ({ name, rank: random.integer(0, 1000) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, random.integer(1, 2));
  const hears = change(drawing);
  return {
    kind: 'not all hear',
    change: hears,
    late: late.map(({ name }) => ({ node: name, before: packets(drawing) })),
  };
}

/**
 * Two Services with endpoints that are pods or not, who is behind those that select nobody, and a
 * pod on the first node's own network.
 */
function ofServicesAtFirst(random: Random): readonly Manifest[] {
  const services = count(atFirst.services, (number) => service(random, number));
  const behind = slice(random, services);
  return [...services, ...(behind === undefined ? [] : [behind]), hostPod(random, 'n1')];
}
