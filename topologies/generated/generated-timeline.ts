/** Timelines from a seed: what comes and goes, restarts, and is sent, at random. */
import { randomFor, type Random } from '../../harness/base/random.js';
import { podSubnet, underlayAddress } from '../addresses.js';
import { type ChangingCluster, type Manifest } from '../changing-cluster.js';
import { antreaClusterOf } from '../antrea/read-antrea-cluster.js';
import {
  clusterNetworkPolicy,
  networkPolicy,
  pod,
  type GeneratedSize,
} from './generated-policies.js';
import {
  drawTraffic,
  endpointPod,
  hostPod,
  hostsOutside,
  allowsLongConnections,
  service,
  serviceChanged,
  serviceName,
  slice,
  somePort,
} from './generated-services.js';
import type { ManifestChange, ClusterEvent, TrafficEvent } from '../cluster-events.js';

/** Under which of Antrea's pipelines it is played: Services are asked for under either. */
export interface GeneratedTimeline {
  readonly pipeline: '0.8' | '1.3';
  readonly first: ChangingCluster;
  readonly events: readonly ClusterEvent[];
}

const atFirst = {
  nodes: 2,
  pods: 5,
  networkPolicies: 2,
  clusterNetworkPolicies: 1,
  services: 2,
} as const;
const mostNodes = 3;
const trafficEvents = 3;
const services = [
  { protocol: 'TCP', port: 80 },
  { protocol: 'TCP', port: 7 },
  { protocol: 'TCP', port: 8080 },
  { protocol: 'UDP', port: 53 },
  { protocol: 'UDP', port: 7 },
  { protocol: 'ICMP' },
] as const;

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

interface TimelineDrawing {
  readonly random: Random;
  /** What there is by now. */
  live: Manifest[];
  /** Hosts there are or were. */
  names: string[];
  /** Services there are or were; none at all in timelines without. */
  asked: string[];
  readonly connections: string[];
  readonly numbers: {
    pods: number;
    networkPolicies: number;
    clusterNetworkPolicies: number;
    services: number;
    sendings: number;
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

function change(drawing: TimelineDrawing): ManifestChange {
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

/** One of what can be drawn, by weights. */
function oneOf<T>(
  random: Random,
  options: readonly (readonly [weight: number, draw: () => T | undefined])[],
): T {
  for (;;) {
    let ticket = random.integer(
      1,
      options.reduce((sum, [weight]) => sum + weight, 0),
    );
    const chosen = options.find(([weight]) => (ticket -= weight) <= 0)?.[1]();
    if (chosen !== undefined) return chosen;
  }
}

function nodesOf({ live }: TimelineDrawing): readonly string[] {
  return live.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name);
}

function someNode(drawing: TimelineDrawing): string {
  return pick(drawing.random, nodesOf(drawing));
}

function comes(drawing: TimelineDrawing, manifest: Manifest): ManifestChange {
  drawing.live = [...drawing.live.filter((known) => !isSame(known, manifest)), manifest];
  drawing.names = [...new Set([...drawing.names, ...hostsAmong([manifest])])];
  drawing.asked = [...new Set([...drawing.asked, ...servicesAmong([manifest])])];
  return { kind: 'apply', manifest };
}

function goes(drawing: TimelineDrawing, all: readonly Manifest[]): ManifestChange | undefined {
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
function relabelled(
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
function rewritten(
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

/** Cells at random, by all connections that were opened, and now and then a new one. */
function packets(
  drawing: TimelineDrawing,
  more: readonly TrafficEvent[] = [],
): readonly TrafficEvent[] {
  const { random, connections, asked } = drawing;
  const talks = connections.map(
    (connection): TrafficEvent => ({
      kind: 'talk',
      id: nextId(drawing, `talk/${connection}`),
      connection,
    }),
  );
  const cells = count(trafficEvents, (): TrafficEvent => {
    const [from, to, service] = [
      pick(random, drawing.names),
      pick(random, drawing.names),
      pick(random, services),
    ];
    return {
      kind: 'send',
      id: nextId(
        drawing,
        (service.protocol === 'ICMP'
          ? 'icmp'
          : `${service.protocol.toLowerCase()}-${service.port}`) + `/${from}/${to}`,
      ),
      from,
      to,
      service,
    };
  });
  const asks =
    asked.length === 0
      ? []
      : count(trafficEvents, () => drawTraffic(random, drawing, (what) => nextId(drawing, what)));
  return [
    ...more,
    ...talks,
    ...cells,
    ...asks,
    ...(random.integer(1, 3) === 1 ? [opening(drawing)] : []),
  ];
}

function opening(drawing: TimelineDrawing): TrafficEvent {
  const { random, names, connections, asked } = drawing;
  const services = asked.filter(allowsLongConnections);
  const [from, to] = [
    pick(random, names),
    pick(random, services.length > 0 && random.integer(1, 2) === 1 ? services : names),
  ];
  const id = nextId(drawing, `open/${from}/${to}`);
  connections.push(id);
  return { kind: 'open', id, from, to, port: asked.includes(to) ? somePort(random) : 7 };
}

function nextId({ numbers }: TimelineDrawing, what: string): string {
  numbers.sendings += 1;
  return `${what} (${numbers.sendings})`;
}

function hostsAmong(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap(({ kind, metadata: { name, namespace: of = 'default' } }) =>
    kind === 'Node' ? [name] : kind === 'Pod' ? [of === 'default' ? name : `${name}.${of}`] : [],
  );
}

function node(number: number): Manifest {
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: `n${number}` },
    spec: { podCIDR: `${podSubnet(number)}/24` },
    status: { addresses: [{ type: 'InternalIP', address: underlayAddress(number) }] },
  } as Manifest;
}

function namespace(random: Random, name: string): Manifest {
  return {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, labels: { team: pick(random, ['red', 'blue']) } },
  } as Manifest;
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

/**
 * Services come, go and change, and so does who is behind them; pods may leave them and come to
 * them by their labels.
 */
function ofServices(
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

function servicesAmong(manifests: readonly Manifest[]): string[] {
  return manifests.filter(({ kind }) => kind === 'Service').map(serviceName);
}

function newPod(drawing: TimelineDrawing, size: GeneratedSize, nodes: readonly string[]): Manifest {
  const { random, numbers } = drawing;
  const number = ++numbers.pods;
  if (numbers.services > 0) return endpointPod(random, number, size, pick(random, nodes));
  return onNode(pod(random, number, size), pick(random, nodes));
}

function onNode(drawn: object, nodeName: string): Manifest {
  const manifest = manifestOf(drawn);
  return { ...manifest, spec: { ...(manifest.spec as object), nodeName } };
}

function manifestOf(drawn: object): Manifest {
  return drawn as Manifest;
}

function isSame(a: Manifest, b: Manifest): boolean {
  return (
    a.kind === b.kind &&
    a.metadata.name === b.metadata.name &&
    a.metadata.namespace === b.metadata.namespace
  );
}

function count<T>(number: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: number }, (_, index) => make(index + 1));
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[random.integer(0, all.length - 1)] as T;
}
