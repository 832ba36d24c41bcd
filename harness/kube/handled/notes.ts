/** What is said of fields and marks that a network is played without. */
import type { KubeObject } from '../objects.js';
import { fieldValues } from './field-values.js';
import { marks } from './marks.js';
import { handledFields } from './table.js';

/** How many objects of one note are named before the rest is only counted. */
const named = 3;

/** A line a field or mark: `spec.containers.ports.hostPort of Pod shop/web (8080): …`. */
export function notesOf(objects: readonly KubeObject[]): readonly string[] {
  const found = new Map<string, { readonly why: string; readonly of: string[] }>();
  for (const object of objects)
    for (const { what, why, value } of [...fieldNotes(object), ...markNotes(object)]) {
      const key = `${what} ${why}`;
      const note = found.get(key) ?? { why, of: [] };
      found.set(key, note);
      note.of.push(`${nameOfObject(object)} (${what}: ${value})`);
    }
  return [...found.values()].map(({ why, of }) => {
    const more = of.length > named ? ` and ${of.length - named} more` : '';
    return `${of.slice(0, named).join(', ')}${more}: ${why}`;
  });
}

/** `Pod shop/web`, `Node n1`. */
export function nameOfObject({ kind, metadata }: KubeObject): string {
  return `${kind} ${'namespace' in metadata ? `${metadata.namespace}/` : ''}${metadata.name}`;
}

interface Note {
  readonly what: string;
  readonly value: string;
  readonly why: string;
}

function fieldNotes(object: KubeObject): readonly Note[] {
  return Object.entries(handledFields[object.kind]).flatMap(([path, handling]) => {
    if (!('kind' in handling) || handling.kind !== 'noted') return [];
    if (isOnHost(object, path)) return [];
    const values = fieldValues(object, path).map(textOf);
    return values.length === 0 ? [] : [{ what: path, value: values.join(', '), why: handling.why }];
  });
}

/** A pod on the host's network has the ports of its node, and they are asked. */
function isOnHost(object: KubeObject, path: string): boolean {
  return object.kind === 'Pod' && object.spec.hostNetwork && /\.host(Port|IP)$/.test(path);
}

function markNotes(object: KubeObject): readonly Note[] {
  return (['annotations', 'labels'] as const).flatMap((where) =>
    Object.entries((object.metadata[where] ?? {}) as Readonly<Record<string, unknown>>).flatMap(
      ([key, value]) => {
        const mark = marks.find(
          (one) =>
            one.where === where &&
            one.key.test(key) &&
            (one.of === undefined || one.of === object.kind) &&
            (one.value === undefined || one.value === value),
        );
        return mark !== undefined && 'kind' in mark.handling && mark.handling.kind === 'noted'
          ? [{ what: key, value: textOf(value), why: mark.handling.why }]
          : [];
      },
    ),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
