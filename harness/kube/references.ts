/** Names by which objects speak of each other, and of themselves: each must be there, once. */
import { formatPlace, unknownName, type Place } from '../base/errors.js';
import type { Path } from '../base/yaml.js';
import { formatPath } from '../nouns/topology-check.js';
import { serviceNameLabel } from './endpoints.js';
import type { WrittenObject } from './manifests.js';
import type { KubeObject, KubeObjects } from './objects.js';

interface Problem {
  readonly place: Place;
  readonly message: string;
}

/** What is wrong between the objects, in the order in which they were written; empty when nothing is. */
export function referenceProblems(written: readonly WrittenObject[], objects: KubeObjects): readonly Problem[] {
  const first = new Map<string, WrittenObject>();
  return written.flatMap((each) => {
    const identity = identityOf(each.object);
    const earlier = first.get(identity);
    first.set(identity, earlier ?? each);
    const twin = earlier === undefined ? [] : [problem(each, ['metadata', 'name'], `${identity} is there already, at ${formatPlace(earlier.document.placeOf({ path: ['metadata', 'name'] }))}`)];
    return [...twin, ...strangers(each, objects)];
  });
}

/** `Pod default/web`, `Node n1`. */
function identityOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${'namespace' in metadata ? `${metadata.namespace}/` : ''}${metadata.name}`;
}

function strangers(written: WrittenObject, { namespaces, nodes }: KubeObjects): readonly Problem[] {
  const { object } = written;
  const nodeNames = nodes.map(({ metadata }) => metadata.name);
  const unknown = (kind: string, path: Path, name: string, known: readonly string[]) => (known.includes(name) ? [] : [problem(written, path, unknownName(kind, name, known).message)]);
  return [
    ...('namespace' in object.metadata ? unknown('namespace', ['metadata', 'namespace'], object.metadata.namespace, namespaces.map(({ metadata }) => metadata.name)) : []),
    ...(object.kind === 'Pod' ? unknown('node', ['spec', 'nodeName'], object.spec.nodeName, nodeNames) : []),
    ...(object.kind === 'EndpointSlice' ? object.endpoints.flatMap(({ nodeName }, index) => (nodeName === undefined ? [] : unknown('node', ['endpoints', index, 'nodeName'], nodeName, nodeNames))) : []),
    ...(object.kind === 'EndpointSlice' && object.metadata.labels[serviceNameLabel] === undefined ? [problem(written, ['metadata', 'labels', serviceNameLabel], `"${serviceNameLabel}" is missing: expected the name of the Service whose endpoints these are`)] : []),
  ];
}

function problem({ document }: WrittenObject, path: Path, message: string): Problem {
  return { place: document.placeOf({ path }), message: `${formatPath(path)}: ${message}` };
}
