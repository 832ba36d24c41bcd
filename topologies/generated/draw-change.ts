/** Changes of a drawn timeline: objects and nodes that come, go or change. */
import type { Manifest } from '../changing-cluster.js';
import type { ManifestChange } from '../cluster-event.js';
import { pod } from './generated-policies.js';
import { clusterNetworkPolicy, networkPolicy } from './draw-policies.js';
import { type GeneratedSize } from './generated-values.js';
import { endpointPod, slice, serviceChanged, service, hostPod } from './generated-services.js';
import {
  type TimelineDrawing,
  pick,
  onNode,
  servicesAmong,
  isSame,
  hostsAmong,
  manifestOf,
  someNode,
  atFirst,
  oneOf,
  nodesOf,
  node,
  namespace,
  mostNodes,
} from './timeline-drawing.js';

export function newPod(
  drawing: TimelineDrawing,
  size: GeneratedSize,
  nodes: readonly string[],
): Manifest {
  const { random, numbers } = drawing;
  const number = ++numbers.pods;
  if (numbers.services > 0) return endpointPod(random, number, size, pick(random, nodes));
  return onNode(pod(random, number, size), pick(random, nodes));
}

export function comes(drawing: TimelineDrawing, manifest: Manifest): ManifestChange {
  drawing.live = [...drawing.live.filter((known) => !isSame(known, manifest)), manifest];
  drawing.names = [...new Set([...drawing.names, ...hostsAmong([manifest])])];
  drawing.asked = [...new Set([...drawing.asked, ...servicesAmong([manifest])])];
  return { kind: 'apply', manifest };
}

export function goes(
  drawing: TimelineDrawing,
  all: readonly Manifest[],
): ManifestChange | undefined {
  if (all.length === 0) return undefined;
  const { kind, metadata, ...rest } = pick(drawing.random, all);
  drawing.live = drawing.live.filter(
    (known) =>
      !isSame(known, { kind, metadata, ...rest }) &&
      !(
        kind === 'Node' &&
        (known.spec as { nodeName?: string } | undefined)?.nodeName === metadata.name
      ),
  );
  const { name, namespace: of } = metadata;
  return {
    kind: 'delete',
    object: { kind, metadata: of === undefined ? { name } : { name, namespace: of } },
  };
}

/**
 * The same object with labels of another; what a pod's labels are, is all that may change of it
 * while it runs.
 */
export function relabelled(
  drawing: TimelineDrawing,
  all: readonly Manifest[],
  draw: () => object,
): ManifestChange | undefined {
  if (all.length === 0) return undefined;
  const manifest = pick(drawing.random, all);
  const { labels } = manifestOf(draw()).metadata as { readonly labels?: object };
  return comes(drawing, {
    ...manifest,
    metadata: { ...manifest.metadata, labels } as Manifest['metadata'],
  });
}

/** Another policy under the same name. */
export function rewritten(
  drawing: TimelineDrawing,
  all: readonly Manifest[],
  draw: (number: number) => object,
): ManifestChange | undefined {
  if (all.length === 0) return undefined;
  const { metadata } = pick(drawing.random, all);
  return comes(drawing, {
    ...manifestOf(draw(Number(metadata.name.replace(/\D/g, '')))),
    metadata,
  });
}

/**
 * Services come, go and change, and so does who is behind them; pods may leave them and come to
 * them by their labels.
 */
export function ofServices(
  drawing: TimelineDrawing,
  all: readonly Manifest[],
): readonly (readonly [weight: number, draw: () => ManifestChange | undefined])[] {
  const { random, numbers } = drawing;
  if (numbers.services === 0) return [];
  return [
    [4, () => comes(drawing, service(random, ++numbers.services))],
    [
      4,
      () =>
        all.length === 0 ? undefined : comes(drawing, serviceChanged(random, pick(random, all))),
    ],
    [3, () => goes(drawing, all)],
    [
      3,
      () => {
        const behind = slice(random, all);
        return behind === undefined ? undefined : comes(drawing, behind);
      },
    ],
    [2, () => comes(drawing, hostPod(random, someNode(drawing)))],
    [
      5,
      () =>
        relabelled(
          drawing,
          drawing.live.filter(({ kind }) => kind === 'Pod'),
          () => pod(random, 1, atFirst),
        ),
    ],
  ];
}

export function change(drawing: TimelineDrawing): ManifestChange {
  const { random, live, numbers } = drawing;
  const some = (kind: string) => live.filter((manifest) => manifest.kind === kind);
  const nodes = nodesOf(drawing);
  const size = { ...atFirst, nodes: mostNodes };
  return oneOf<ManifestChange>(random, [
    [4, () => comes(drawing, newPod(drawing, size, nodes))],
    [4, () => goes(drawing, some('Pod'))],
    [3, () => relabelled(drawing, some('Pod'), () => pod(random, 1, size))],
    ...ofServices(drawing, some('Service')),
    [1, () => relabelled(drawing, some('Namespace'), () => namespace(random, 'x'))],
    [4, () => comes(drawing, manifestOf(networkPolicy(random, ++numbers.networkPolicies, size)))],
    [
      3,
      () =>
        rewritten(drawing, some('NetworkPolicy'), (number) => networkPolicy(random, number, size)),
    ],
    [3, () => goes(drawing, some('NetworkPolicy'))],
    [
      2,
      () =>
        comes(
          drawing,
          manifestOf(clusterNetworkPolicy(random, ++numbers.clusterNetworkPolicies, size)),
        ),
    ],
    [
      2,
      () =>
        rewritten(drawing, some('ClusterNetworkPolicy'), (number) =>
          clusterNetworkPolicy(random, number, size),
        ),
    ],
    [2, () => goes(drawing, some('ClusterNetworkPolicy'))],
    [
      2,
      () =>
        nodes.length < mostNodes
          ? comes(
              drawing,
              node([1, 2, 3].find((number) => !nodes.includes(`n${number}`)) ?? mostNodes),
            )
          : undefined,
    ],
    [1, () => (nodes.length > 1 ? goes(drawing, some('Node')) : undefined)],
  ]);
}
