/**
 * Clusters that change: manifests that are applied and deleted, as `kubectl apply` and `kubectl
 * delete` do.
 */
import { readYamlDocuments } from '../harness/base/text/yaml.js';
import type { Cluster } from '../harness/kube/objects.js';
import { readCluster, type KubernetesOptions } from './kubernetes.js';

/** An object as a manifest has it. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/**
 * A cluster, and the manifests that it was made of, with the addresses that nodes and pods were
 * given: they keep them. `more` is what a system has beside.
 */
export interface ChangingCluster<More extends object = object> {
  readonly cluster: Cluster & More;
  readonly more: More;
  readonly manifests: readonly Manifest[];
  readonly options: KubernetesOptions;
}

/** The manifests of a text, one a document. @throws InputError where it is no YAML. */
export function manifestsOf(text: string, file = 'manifests'): readonly Manifest[] {
  return readYamlDocuments(text, file).map(({ value }) => value as Manifest);
}

/** @throws InputError naming the object and the field of everything that is wrong. */
export function clusterOf<More extends object>(
  manifests: readonly Manifest[],
  options: KubernetesOptions,
  more: More,
): ChangingCluster<More> {
  const cluster = readCluster(
    manifests.map((manifest) => ({
      file: nameOf(manifest),
      text: JSON.stringify(manifest, null, 1),
    })),
    { ...options, presence: 'come and go' },
  );
  return {
    cluster: { ...cluster, ...more },
    more,
    manifests: manifests.map((manifest) => withAddresses(manifest, cluster)),
    options,
  };
}

/** What is new comes, what is there already becomes so. @throws InputError as `clusterOf`. */
export function apply<More extends object>(
  { manifests, options, more }: ChangingCluster<More>,
  applied: readonly Manifest[],
): ChangingCluster<More> {
  const others = applied.filter((manifest) => !manifests.some((known) => isSame(known, manifest)));
  const replaced = manifests.map(
    (known) => applied.find((manifest) => isSame(known, manifest)) ?? known,
  );
  const addressed = replaced.map((manifest, index) =>
    keepAddresses(manifest, manifests[index] ?? manifest),
  );
  return clusterOf([...addressed, ...others], options, more);
}

/** With a node go its pods. */
export function remove<More extends object>(
  { manifests, options, more }: ChangingCluster<More>,
  removed: Pick<Manifest, 'kind' | 'metadata'>,
): ChangingCluster<More> {
  const goes = (manifest: Manifest) =>
    isSame(manifest, removed) ||
    (removed.kind === 'Node' &&
      manifest.kind === 'Pod' &&
      nodeOf(manifest) === removed.metadata.name);
  return clusterOf(
    manifests.filter((manifest) => !goes(manifest)),
    options,
    more,
  );
}

export function has(
  { manifests }: Pick<ChangingCluster, 'manifests'>,
  wanted: Pick<Manifest, 'kind' | 'metadata'>,
): boolean {
  return manifests.some((manifest) => isSame(manifest, wanted));
}

/** `NetworkPolicy shop/web`. */
export function nameOf({
  kind,
  metadata: { name, namespace },
}: Pick<Manifest, 'kind' | 'metadata'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** The node that a pod runs on. */
export function nodeOf({ spec }: Manifest): string {
  return (spec as { readonly nodeName?: string } | undefined)?.nodeName ?? '';
}

function isSame(
  a: Pick<Manifest, 'kind' | 'metadata'>,
  b: Pick<Manifest, 'kind' | 'metadata'>,
): boolean {
  return (
    a.kind === b.kind &&
    a.metadata.name === b.metadata.name &&
    (a.metadata.namespace ?? 'default') === (b.metadata.namespace ?? 'default')
  );
}

function withAddresses(manifest: Manifest, { nodes, objects }: Cluster): Manifest {
  if (manifest.kind === 'Node') {
    const node = nodes.find(({ name }) => name === manifest.metadata.name);
    return node === undefined
      ? manifest
      : {
          ...manifest,
          spec: { ...(manifest.spec as object | undefined), podCIDR: node.podCidr },
          status: { addresses: [{ type: 'InternalIP', address: node.underlay.ip }] },
        };
  }
  if (manifest.kind !== 'Pod') return manifest;
  const pod = objects.pods.find(({ metadata }) => isSame({ kind: 'Pod', metadata }, manifest));
  return pod?.status.podIP === undefined
    ? manifest
    : {
        ...manifest,
        status: { ...(manifest.status as object | undefined), podIP: pod.status.podIP },
      };
}

function keepAddresses(manifest: Manifest, known: Manifest): Manifest {
  if (manifest.kind === 'Node')
    return {
      ...known,
      ...manifest,
      spec: { ...(known.spec as object | undefined), ...(manifest.spec as object | undefined) },
      status: manifest.status ?? known.status,
    };
  return manifest.kind === 'Pod'
    ? { ...manifest, status: manifest.status ?? known.status }
    : manifest;
}
