/** Manifests, as `kubectl apply` takes them, into objects. */
import { assertNever, unknownName, type Place } from '../base/errors/errors.js';
import {
  readAs,
  readYamlDocuments,
  refused,
  refusedAt,
  within,
  type YamlDocument,
} from '../base/text/yaml.js';
import { type Path, type YamlProblem } from '../base/text/yaml-problem.js';
import { formatPath } from '../domain/topology-problem.js';
import { asClusterPolicy } from './as-cluster-policy.js';
import { nameOfObject, notesOf } from './handled/notes.js';
import { ipv4Half } from './ipv4-half.js';
import { handlingOf, policiesOfOthers, schemas } from './kinds.js';
import { listSchema } from './schemas/metadata.js';
import type { KubeObject, KubeObjects } from './objects.js';
import { tierProblems, type WrittenPolicy } from './policy-tiers.js';
import { referenceProblems, type ReferencePolicy } from './reference-problems.js';
import { hasEnded, type Namespace } from './schemas/workloads.js';
import { endpointsProblems, whatIsLeftOut, type LeftOut } from './left-out.js';
import { rememberWritten, type WrittenObject } from './written-object.js';

/**
 * One file of manifests; `---` parts objects, and a List has several, as `kubectl get -o yaml`
 * prints them.
 */
export interface ManifestFile {
  readonly file: string;
  readonly text: string;
}

/** What manifests hold, and where each of it was written. */
export interface Manifests {
  readonly objects: KubeObjects;
  /** The place of a field of one of `objects`, or of what encloses it. */
  placeOf(object: KubeObject, path: Path): Place | undefined;
  /** What was written and is not in `objects`, a line each: kinds, and pods without a node. */
  readonly notes: readonly string[];
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
  const read = files
    .flatMap(({ file, text }) => readYamlDocuments(text, file))
    .flatMap(objectsIn)
    .map(readObject);
  const written = read.flatMap((each) => (each.kind === 'left out' ? [] : [each.written]));
  for (const each of written) rememberWritten(each);
  const leftOut = read.flatMap((each) => (each.kind === 'left out' ? [each] : []));
  const objects = byKind(written.map(({ object }) => object));
  const problems = [
    ...tierProblems(
      read.flatMap((each) => (each.kind === 'policy of others' ? [each] : [])),
      objects,
    ),
    ...endpointsProblems(leftOut, objects),
    ...referenceProblems(written, objects, presence),
  ];
  if (problems.length > 0) throw refusedAt(problems);
  return {
    objects,
    placeOf: (object, path) =>
      written.find((each) => each.object === object)?.document.placeOf({ path }),
    notes: [
      ...whatIsLeftOut(leftOut),
      ...ipv6Notes(read),
      ...notesOf(written.map(({ object }) => object)),
    ],
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

type ReadObject =
  | { readonly kind: 'read'; readonly written: WrittenObject; readonly ipv6: readonly string[] }
  | ({ readonly kind: 'policy of others'; readonly written: WrittenObject } & WrittenPolicy)
  | LeftOut;

function readObject(document: YamlDocument): ReadObject {
  const kind = kindOf(document);
  const known = ['List', ...Object.keys(schemas)];
  if (typeof kind !== 'string')
    throw refused(document, [
      { path: ['kind'], message: `"kind" is missing: expected one of ${known.join(', ')}` },
    ]);
  const handling = handlingOf(textAt(document, 'apiVersion'), kind);
  switch (handling.kind) {
    case 'unknown':
      throw refused(document, [
        { path: ['kind'], message: unknownName('kind', kind, known).message },
      ]);
    case 'refused':
      throw refused(document, [{ path: ['kind'], message: handling.why }]);
    case 'skipped':
      return { kind: 'left out', what: kind, document };
    case 'policy of others': {
      const policy = readAs(document, policiesOfOthers[handling.as], sayWhere);
      return {
        kind: 'policy of others',
        written: { object: asClusterPolicy(policy), document },
        policy,
        document,
      };
    }
    case 'read':
      if (isPending(document)) return { kind: 'left out', what: 'pending pod', document };
      if (isOfIpv6(document)) return { kind: 'left out', what: 'EndpointSlice of IPv6', document };
      return ipv4Of(readAs(document, schemas[handling.as], sayWhere), document);
    default:
      return assertNever(handling);
  }
}

function ipv4Of(object: KubeObject, document: YamlDocument): ReadObject {
  const half = ipv4Half(object);
  switch (half.kind) {
    case 'ipv4':
      return { kind: 'read', written: { object: half.object, document }, ipv6: half.ipv6 };
    case 'of IPv6 alone':
      return { kind: 'left out', what: `${object.kind} of IPv6 alone`, document };
    case 'wrong':
      throw refused(document, [
        { path: half.path, message: `${formatPath(half.path)}: ${half.message}` },
      ]);
    default:
      return assertNever(half);
  }
}

/** One line for all that has addresses of both families. */
function ipv6Notes(read: readonly ReadObject[]): readonly string[] {
  const both = read.flatMap((each) =>
    each.kind === 'read' && each.ipv6.length > 0
      ? [`${nameOfObject(each.written.object)} (${each.ipv6.join(', ')})`]
      : [],
  );
  const more = both.length > 3 ? ` and ${both.length - 3} more` : '';
  return both.length === 0
    ? []
    : [`${both.slice(0, 3).join(', ')}${more}: IPv6 of manifests is not asked, IPv4 alone is`];
}

function textAt({ value }: YamlDocument, ...path: readonly string[]): string | undefined {
  let found = value;
  for (const key of path)
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Readonly<Record<string, unknown>>)[key]
        : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** PodSpec, `nodeName`: of a pod that no node was chosen for yet it is not there, or empty. */
function isPending(document: YamlDocument): boolean {
  return kindOf(document) === 'Pod' && (textAt(document, 'spec', 'nodeName') ?? '') === '';
}

/** Of Services of both families: nobody here has an address of IPv6. */
function isOfIpv6(document: YamlDocument): boolean {
  return kindOf(document) === 'EndpointSlice' && textAt(document, 'addressType') === 'IPv6';
}

function sayWhere({ path, message }: YamlProblem): string {
  return path.length === 0 ? message : `${formatPath(path)}: ${message}`;
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
