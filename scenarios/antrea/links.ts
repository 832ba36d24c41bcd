import {
  antrea,
  defineScenario,
  intentOf,
  vectors,
  type Intent,
  type Node,
} from '../../harness/index.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';

/** Of the first node; all others are perfect. */
const links: Readonly<Record<string, NonNullable<Node['link']>>> = {
  slow: { delayMs: 20, jitterMs: 5 },
  narrow: { delayMs: 1, rateMbit: 1 },
  lossy: { delayMs: 1, lossPercent: 10 },
  down: { state: 'down' },
};

const sentAgain = 'what is late or lost is sent again, and the other end may have it already';

export default defineScenario({
  name: 'antrea/links',
  title: 'Links of nodes that are slow, narrow, lossy or down, between pods of an encap cluster',
  axes: {
    link: {
      values: ['slow', 'narrow', 'lossy', 'down'],
      default: ['slow', 'narrow', 'lossy', 'down'],
    },
  },
  topology: ({ link }) => {
    const cluster = antreaCluster({ nodes: 2, podsPerNode: 2, tunnel: 'geneve' });
    const nodes = cluster.nodes.map((node, index) =>
      index === 0 ? { ...node, link: links[link] ?? {} } : node,
    );
    return { ...cluster, nodes };
  },
  controlPlane: antrea('0.8'),
  vectors: (topology) => {
    const isLossy = topology.nodes.some(({ link }) => link?.lossPercent !== undefined);
    // What nobody sends again may be lost, and nothing is promised of that.
    return isLossy
      ? vectors.podToPodTcp(topology)
      : [...vectors.podToPod(topology), ...vectors.podToPodTcp(topology)];
  },
  intent: (topology, stimulus, promises): Intent => {
    const isDown = topology.nodes.some(({ link }) => link?.state === 'down');
    const nodeOf = (named: string) =>
      topology.nodes.find(
        ({ underlay, gateway, pods }) =>
          [underlay.ip, gateway.ip].includes(named) ||
          pods.some(({ name, ip }) => name === named || ip === named),
      );
    const there = 'to' in stimulus ? nodeOf(stimulus.to) : undefined;
    if (isDown && there !== undefined && nodeOf(stimulus.from) !== there)
      return { kind: 'denied', why: 'the link of its node, or of the other one, is down' };
    const intent = intentOf(topology, stimulus, promises);
    const mayComeTwice = topology.nodes.some(
      ({ link }) => link?.jitterMs !== undefined || link?.lossPercent !== undefined,
    );
    return intent.kind === 'round-trip' && stimulus.kind === 'tcp' && mayComeTwice
      ? { ...intent, interjection: { kind: 'any', why: sentAgain }, transmission: 'any' }
      : intent;
  },
});
