/**
 * The smallest network in which something still holds: fewer objects, pods and nodes, then less in
 * each object. Of a network that changes, all its states are shrunk together.
 */
import type { Topology } from '../domain/topology.js';
import type { KubeObject, KubeObjects, Network } from '../kube/objects.js';
import { deltaDebug } from './delta-debug.js';
import { simplify } from './simplify.js';

/** The states of a network, in order of time. */
export type Networks = readonly Network[];
type Holds = (networks: Networks) => Promise<boolean>;

/** Kinds in the order in which they are tried: what others refer to comes last. */
const kinds = [
  'networkPolicies',
  'clusterNetworkPolicies',
  'endpointSlices',
  'services',
] as const satisfies readonly (keyof KubeObjects)[];

/** @param holds asked one network at a time; one that is no network does not hold. */
export async function shrinkNetworks(whole: Networks, holds: Holds): Promise<Networks> {
  for (let found = whole; ; ) {
    const smaller = await shrinkOnce(found, holds);
    if (JSON.stringify(smaller) === JSON.stringify(found)) return found;
    found = smaller;
  }
}

async function shrinkOnce(whole: Networks, holds: Holds): Promise<Networks> {
  let found = whole;
  for (const kind of kinds) found = await fewerObjects(found, kind, holds);
  found = await fewer(found, podNames, withPods, holds);
  found = await fewer(found, nodeNames, withNodes, holds);
  found = await fewer(found, externalNames, withExternalHosts, holds);
  found = await fewer(found, unusedNamespaces, withoutOtherNamespaces, holds);
  for (const kind of kinds) found = await simplerObjects(found, kind, holds);
  return found;
}

/** With as few of something as will do, which has the same name in each state. */
async function fewer(
  networks: Networks,
  namesIn: (network: Network) => readonly string[],
  keeping: (network: Network, kept: ReadonlySet<string>) => Network,
  holds: Holds,
): Promise<Networks> {
  const names = [...new Set(networks.flatMap(namesIn))];
  const keptOf = (some: readonly string[]) =>
    networks.map((network) => keeping(network, new Set(some)));
  const kept = await deltaDebug(names, (some) => holds(keptOf(some)));
  return kept.length === names.length ? networks : keptOf(kept);
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

function objectsOf(network: Network, kind: keyof KubeObjects): readonly KubeObject[] {
  return network.objects?.[kind] ?? [];
}

function nameOf({ metadata }: KubeObject): string {
  return 'namespace' in metadata ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

async function fewerObjects(
  networks: Networks,
  kind: keyof KubeObjects,
  holds: Holds,
): Promise<Networks> {
  return await fewer(
    networks,
    (network) => objectsOf(network, kind).map(nameOf),
    (network, kept) =>
      withObjects(
        network,
        kind,
        objectsOf(network, kind).filter((one) => kept.has(nameOf(one))),
      ),
    holds,
  );
}

/** Those that no object is in: to remove another is to write manifests that nobody reads. */
function unusedNamespaces({ objects }: Network): readonly string[] {
  if (objects === undefined) return [];
  const used = usedNamespaces(objects);
  return objects.namespaces.map(({ metadata }) => metadata.name).filter((name) => !used.has(name));
}

function usedNamespaces(objects: KubeObjects): ReadonlySet<string | undefined> {
  const all: readonly KubeObject[] = Object.values(objects).flat();
  return new Set(
    all.map(({ metadata }) => ('namespace' in metadata ? metadata.namespace : undefined)),
  );
}

function withoutOtherNamespaces(network: Network, kept: ReadonlySet<string>): Network {
  const { objects } = network;
  if (objects === undefined) return network;
  const used = usedNamespaces(objects);
  return withObjects(
    network,
    'namespaces',
    objects.namespaces.filter(({ metadata: { name } }) => used.has(name) || kept.has(name)),
  );
}

function podNames({ nodes }: Network): readonly string[] {
  return nodes.flatMap(({ pods }) => pods.map(({ name }) => name));
}

function withPods(network: Network, kept: ReadonlySet<string>): Network {
  const nodes = network.nodes.map((node) => ({
    ...node,
    pods: node.pods.filter(({ name }) => kept.has(name)),
  }));
  return withObjectsOf({ ...network, nodes });
}

function nodeNames({ nodes }: Network): readonly string[] {
  return nodes.map(({ name }) => name);
}

function withNodes(network: Network, kept: ReadonlySet<string>): Network {
  return withObjectsOf({ ...network, nodes: network.nodes.filter(({ name }) => kept.has(name)) });
}

function externalNames({ externalHosts = [] }: Network): readonly string[] {
  return externalHosts.map(({ name }) => name);
}

function withExternalHosts(network: Network, kept: ReadonlySet<string>): Network {
  const { externalHosts } = network;
  return externalHosts === undefined
    ? network
    : { ...network, externalHosts: externalHosts.filter(({ name }) => kept.has(name)) };
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

/** What is the same object in several states is made simpler in all of them. */
async function simplerObjects(
  networks: Networks,
  kind: keyof KubeObjects,
  holds: Holds,
): Promise<Networks> {
  const texts = [
    ...new Set(
      networks.flatMap((network) => objectsOf(network, kind).map((one) => JSON.stringify(one))),
    ),
  ];
  const all = texts.map((text) => JSON.parse(text) as KubeObject);
  const placeOf = new Map(texts.map((text, place) => [text, place]));
  const places = networks.map((network) =>
    objectsOf(network, kind).map((one) => placeOf.get(JSON.stringify(one)) ?? 0),
  );
  const replaced = (some: readonly KubeObject[]) =>
    networks.map((network, index) =>
      withObjects(
        network,
        kind,
        (places[index] ?? []).flatMap((place) => some[place] ?? []),
      ),
    );
  const simpler = await simplify(all, simplerObject, (some) => holds(replaced(some)));
  return simpler === all ? networks : replaced(simpler);
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
