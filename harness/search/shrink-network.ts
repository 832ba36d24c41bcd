/**
 * The smallest network in which something still holds: fewer objects, pods and nodes, then less in
 * each object.
 */
import type { Topology } from '../domain/topology.js';
import type { KubeObject, KubeObjects, Network } from '../kube/objects.js';
import { deltaDebug } from './delta-debug.js';
import { simplify } from './simplify.js';

type Holds = (network: Network) => Promise<boolean>;

/** Kinds in the order in which they are tried: what others refer to comes last. */
const kinds = [
  'networkPolicies',
  'clusterNetworkPolicies',
  'endpointSlices',
  'services',
] as const satisfies readonly (keyof KubeObjects)[];

/** @param holds asked one network at a time; one that is no network does not hold. */
export async function shrinkNetwork(whole: Network, holds: Holds): Promise<Network> {
  for (let found = whole; ; ) {
    const smaller = await shrinkOnce(found, holds);
    if (JSON.stringify(smaller) === JSON.stringify(found)) return smaller;
    found = smaller;
  }
}

async function shrinkOnce(whole: Network, holds: Holds): Promise<Network> {
  let found = whole;
  for (const kind of kinds) found = await fewerObjects(found, kind, holds);
  found = await fewerPods(found, holds);
  found = await fewerNodes(found, holds);
  const { externalHosts = [] } = found;
  const external = await deltaDebug(externalHosts, (some) =>
    holds({ ...found, externalHosts: some }),
  );
  if (external.length < externalHosts.length) found = { ...found, externalHosts: external };
  found = await fewerNamespaces(found, holds);
  for (const kind of kinds) found = await simplerObjects(found, kind, holds);
  return found;
}

function withObjects(
  network: Network,
  kind: keyof KubeObjects,
  some: readonly KubeObject[],
): Network {
  return network.objects === undefined
    ? network
    : { ...network, objects: { ...network.objects, [kind]: some } };
}

async function fewerObjects(
  network: Network,
  kind: keyof KubeObjects,
  holds: Holds,
): Promise<Network> {
  const all: readonly KubeObject[] = network.objects?.[kind] ?? [];
  const kept = await deltaDebug(all, (some) => holds(withObjects(network, kind, some)));
  return kept.length === all.length ? network : withObjects(network, kind, kept);
}

/** Those that no object is in: to remove another is to write manifests that nobody reads. */
async function fewerNamespaces(network: Network, holds: Holds): Promise<Network> {
  const { objects } = network;
  if (objects === undefined) return network;
  const all: readonly KubeObject[] = Object.values(objects).flat();
  const used = new Set(
    all.map(({ metadata }) => ('namespace' in metadata ? metadata.namespace : undefined)),
  );
  const isUsed = ({ metadata }: { readonly metadata: { readonly name: string } }) =>
    used.has(metadata.name);
  const kept = await deltaDebug(
    objects.namespaces.filter((one) => !isUsed(one)),
    (some) =>
      holds(withObjects(network, 'namespaces', [...objects.namespaces.filter(isUsed), ...some])),
  );
  const namespaces = objects.namespaces.filter((one) => isUsed(one) || kept.includes(one));
  return namespaces.length === objects.namespaces.length
    ? network
    : withObjects(network, 'namespaces', namespaces);
}

async function fewerPods(network: Network, holds: Holds): Promise<Network> {
  const names = network.nodes.flatMap(({ pods }) => pods.map(({ name }) => name));
  const kept = await deltaDebug(names, (some) => holds(withPods(network, new Set(some))));
  return kept.length === names.length ? network : withPods(network, new Set(kept));
}

function withPods(network: Network, kept: ReadonlySet<string>): Network {
  const nodes = network.nodes.map((node) => ({
    ...node,
    pods: node.pods.filter(({ name }) => kept.has(name)),
  }));
  return withObjectsOf({ ...network, nodes });
}

async function fewerNodes(network: Network, holds: Holds): Promise<Network> {
  const kept = await deltaDebug(network.nodes, (nodes) =>
    holds(withObjectsOf({ ...network, nodes })),
  );
  return kept.length === network.nodes.length
    ? network
    : withObjectsOf({ ...network, nodes: kept });
}

/** Without the objects of pods and nodes that are no longer there. */
function withObjectsOf<Some extends Network>(network: Some): Some {
  const { objects } = network;
  if (objects === undefined) return network;
  const addresses = addressesOf(network);
  const nodes = new Set(network.nodes.map(({ name }) => name));
  return {
    ...network,
    objects: {
      ...objects,
      nodes: objects.nodes.filter(({ metadata }) => nodes.has(metadata.name)),
      pods: objects.pods.filter(
        ({ spec, status }) =>
          nodes.has(spec.nodeName ?? '') && (spec.hostNetwork || addresses.has(status.podIP ?? '')),
      ),
    },
  };
}

function addressesOf({ nodes }: Topology): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ pods }) => pods.map(({ ip }) => ip)));
}

async function simplerObjects(
  network: Network,
  kind: keyof KubeObjects,
  holds: Holds,
): Promise<Network> {
  const all: readonly KubeObject[] = network.objects?.[kind] ?? [];
  const simpler = await simplify(all, simplerObject, (some) =>
    holds(withObjects(network, kind, some)),
  );
  return simpler === all ? network : withObjects(network, kind, simpler);
}

/** With an entry less in one of the lists of its spec, however deep they are. */
function simplerObject<Some extends KubeObject>(object: Some): readonly Some[] {
  if (!('spec' in object)) return [];
  return simplerValues(object.spec).map((spec) => ({ ...object, spec }));
}

function simplerValues(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    return [
      ...entries.map((_, index) => entries.toSpliced(index, 1)),
      ...entries.flatMap((entry, index) =>
        simplerValues(entry).map((simpler) => entries.with(index, simpler)),
      ),
    ];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    simplerValues(inner).map((simpler) => ({ ...value, [key]: simpler })),
  );
}
