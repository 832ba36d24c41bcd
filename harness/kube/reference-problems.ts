/** Names by which objects speak of each other, and of themselves: each must be there, once. */
import { formatPlace, unknownName, type Place } from '../base/errors/errors.js';
import type { Path } from '../base/text/yaml-problem.js';
import { formatPath } from '../domain/topology-problem.js';
import { serviceNameLabel } from './services/service-endpoints.js';
import type { WrittenObject } from './written-object.js';
import type { KubeObject, KubeObjects } from './objects.js';

interface Problem {
  readonly place: Place;
  readonly message: string;
}

/**
 * `all there`: what speaks of an object that is not there never means anything. `come and go`: it
 * may have meant something before, or will.
 */
export type ReferencePolicy = 'all there' | 'come and go';

/**
 * What is wrong between the objects, in the order in which they were written; empty when nothing
 * is.
 */
export function referenceProblems(
  written: readonly WrittenObject[],
  objects: KubeObjects,
  presence: ReferencePolicy,
): readonly Problem[] {
  const first = new Map<string, WrittenObject>();
  return written.flatMap((each) => {
    const identity = identityOf(each.object);
    const earlier = first.get(identity);
    first.set(identity, earlier ?? each);
    const twin =
      earlier === undefined
        ? []
        : [
            problem(
              each,
              ['metadata', 'name'],
              `${identity} is there already, at ` +
                formatPlace(earlier.document.placeOf({ path: ['metadata', 'name'] })),
            ),
          ];
    return [
      ...twin,
      ...unknownReferences(each, objects),
      ...(presence === 'all there' ? orphanedEndpointSlices(each, objects) : []),
    ];
  });
}

/** `Pod default/web`, `Node n1`. */
function identityOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${'namespace' in metadata ? `${metadata.namespace}/` : ''}${metadata.name}`;
}

/** "kubectl get all" has neither nodes nor namespaces. */
function missing(kind: string, known: readonly string[]): string {
  return known.length > 0
    ? ''
    : ` Objects of this kind are missing: give what "kubectl get ${kind}s -o yaml" prints as well.`;
}

function unknownReferences(
  written: WrittenObject,
  { namespaces, nodes }: KubeObjects,
): readonly Problem[] {
  const { object } = written;
  const nodeNames = nodes.map(({ metadata }) => metadata.name);
  const unknown = (kind: string, path: Path, name: string, known: readonly string[]) =>
    known.includes(name)
      ? []
      : [
          problem(
            written,
            path,
            `${unknownName(kind, name, known).message}${missing(kind, known)}`,
          ),
        ];
  return [
    ...('namespace' in object.metadata
      ? unknown(
          'namespace',
          ['metadata', 'namespace'],
          object.metadata.namespace,
          namespaces.map(({ metadata }) => metadata.name),
        )
      : []),
    ...(object.kind === 'Pod'
      ? unknown('node', ['spec', 'nodeName'], object.spec.nodeName, nodeNames)
      : []),
    ...(object.kind === 'EndpointSlice'
      ? object.endpoints.flatMap(({ nodeName }, index) =>
          nodeName === undefined
            ? []
            : unknown('node', ['endpoints', index, 'nodeName'], nodeName, nodeNames),
        )
      : []),
    ...(object.kind === 'EndpointSlice' && object.metadata.labels[serviceNameLabel] === undefined
      ? [
          problem(
            written,
            ['metadata', 'labels', serviceNameLabel],
            `"${serviceNameLabel}" is missing: expected the name of the Service whose ` +
              'endpoints these are',
          ),
        ]
      : []),
  ];
}

/**
 * The API server takes an EndpointSlice that belongs to no Service, or has none of its ports; but
 * it does nothing, and in what describes a whole network that is a slip of the pen.
 */
function orphanedEndpointSlices(
  written: WrittenObject,
  { services }: KubeObjects,
): readonly Problem[] {
  const { object: slice } = written;
  const name = slice.kind === 'EndpointSlice' ? slice.metadata.labels[serviceNameLabel] : undefined;
  if (slice.kind !== 'EndpointSlice' || name === undefined) return [];
  const near = services.filter(({ metadata }) => metadata.namespace === slice.metadata.namespace);
  const service = near.find(({ metadata }) => metadata.name === name);
  if (service === undefined)
    return [
      problem(
        written,
        ['metadata', 'labels', serviceNameLabel],
        unknownName(
          'Service',
          name,
          near.map(({ metadata }) => metadata.name),
        ).message,
      ),
    ];
  const { ports } = service.spec;
  const isServed = slice.ports.some((port) =>
    ports.some(
      ({ name: called = '', protocol }) => called === port.name && protocol === port.protocol,
    ),
  );
  if (isServed || slice.ports.length === 0) return [];
  const had =
    ports
      .map(
        ({ name: called, protocol }) =>
          `${protocol} ${called === undefined ? 'without a name' : `"${called}"`}`,
      )
      .join(', ') || 'none';
  return [
    problem(
      written,
      ['ports'],
      `Service ${service.metadata.namespace}/${name} has none of these ports, by name and ` +
        `protocol; it has ${had}`,
    ),
  ];
}

function problem({ document }: WrittenObject, path: Path, message: string): Problem {
  return { place: document.placeOf({ path }), message: `${formatPath(path)}: ${message}` };
}
