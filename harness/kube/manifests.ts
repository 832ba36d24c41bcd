/** Manifests, as `kubectl apply` takes them, into objects. */
import { unknownName, type Place } from '../base/errors/errors.js';
import {
  readAs,
  readYamlDocuments,
  refused,
  refusedAt,
  within,
  type YamlDocument,
} from '../base/text/yaml.js';
import { type YamlProblem } from '../base/text/yaml-problem.js';
import { type Path } from '../base/text/yaml-problem.js';
import { formatPath } from '../domain/topology-problem.js';
import { listSchema } from './schemas/metadata.js';
import type { KubeObject, KubeObjects } from './objects.js';
import { clusterNetworkPolicySchema, networkPolicySchema } from './schemas/policies.js';
import { referenceProblems, type ReferencePolicy } from './reference-problems.js';
import { endpointSliceSchema, serviceSchema } from './schemas/services.js';
import {
  hasEnded,
  namespaceSchema,
  nodeSchema,
  podSchema,
  type Namespace,
} from './schemas/workloads.js';
import type { WrittenObject } from './written-object.js';

/**
 * One file of manifests; `---` parts objects, and a List has several, as `kubectl get -o yaml`
 * prints them.
 */
export interface ManifestFile {
  readonly file: string;
  readonly text: string;
}

const schemas = {
  Namespace: namespaceSchema,
  Node: nodeSchema,
  Pod: podSchema,
  Service: serviceSchema,
  EndpointSlice: endpointSliceSchema,
  NetworkPolicy: networkPolicySchema,
  ClusterNetworkPolicy: clusterNetworkPolicySchema,
} as const;

/** What manifests hold, and where each of it was written. */
export interface Manifests {
  readonly objects: KubeObjects;
  /** The place of a field of one of `objects`, or of what encloses it. */
  placeOf(object: KubeObject, path: Path): Place | undefined;
}

/**
 * Everything in the files, but for pods that have ended: those have no network. Namespaces that
 * every cluster has are there as well, and each has its name as a label, as the API server does it.
 * @throws InputError naming file, line, column and field of everything that is wrong, the value,
 *   and what would be right.
 */
export function readManifests(
  files: readonly ManifestFile[],
  presence: ReferencePolicy = 'all there',
): Manifests {
  const written = files
    .flatMap(({ file, text }) => readYamlDocuments(text, file))
    .flatMap(objectsIn)
    .map((document): WrittenObject => ({ object: readObject(document), document }));
  const objects = byKind(written.map(({ object }) => object));
  const problems = referenceProblems(written, objects, presence);
  if (problems.length > 0) throw refusedAt(problems);
  return {
    objects,
    placeOf: (object, path) =>
      written.find((each) => each.object === object)?.document.placeOf({ path }),
  };
}

/** The document, or where it is a List each of its items. */
function objectsIn(document: YamlDocument): readonly YamlDocument[] {
  if (kindOf(document) !== 'List') return [document];
  return readAs(document, listSchema, sayWhere).items.flatMap((item, index) =>
    objectsIn(within(document, ['items', index], item)),
  );
}

function kindOf({ value }: YamlDocument): unknown {
  return typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
}

function readObject(document: YamlDocument): KubeObject {
  const kind = kindOf(document);
  const known = ['List', ...Object.keys(schemas)];
  if (typeof kind !== 'string')
    throw refused(document, [
      { path: ['kind'], message: `"kind" is missing: expected one of ${known.join(', ')}` },
    ]);
  if (!isKnown(kind))
    throw refused(document, [
      { path: ['kind'], message: unknownName('kind', kind, known).message },
    ]);
  return readAs(document, schemas[kind], sayWhere);
}

function sayWhere({ path, message }: YamlProblem): string {
  return path.length === 0 ? message : `${formatPath(path)}: ${message}`;
}

function isKnown(kind: string): kind is keyof typeof schemas {
  return Object.hasOwn(schemas, kind);
}

const everywhere = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

function byKind(objects: readonly KubeObject[]): KubeObjects {
  const of = <Kind extends KubeObject['kind']>(kind: Kind) =>
    objects.filter(
      (object): object is Extract<KubeObject, { readonly kind: Kind }> => object.kind === kind,
    );
  const namespaces = of('Namespace');
  const given = everywhere.filter(
    (name) => !namespaces.some(({ metadata }) => metadata.name === name),
  );
  return {
    namespaces: [
      ...given.map(
        (name): Namespace => ({
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name, labels: {} },
        }),
      ),
      ...namespaces,
    ].map(labelled),
    nodes: of('Node'),
    pods: of('Pod').filter((pod) => !hasEnded(pod)),
    services: of('Service'),
    endpointSlices: of('EndpointSlice'),
    networkPolicies: of('NetworkPolicy'),
    clusterNetworkPolicies: of('ClusterNetworkPolicy'),
  };
}

/** Kubernetes, "Automatic labelling" of namespaces. */
function labelled(namespace: Namespace): Namespace {
  const { metadata } = namespace;
  return {
    ...namespace,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name },
    },
  };
}
