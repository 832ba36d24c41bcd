import { InputError } from '../../base/errors/errors.js';
import type { WatchedObjects } from '../../control/ovn-cni/watched-objects.js';

interface Written {
  readonly kind?: unknown;
  readonly items?: readonly Written[];
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
  readonly spec?: unknown;
}

/**
 * Namespaces, pods and policies of a List, raw: typed models of clients lose a policy's `from`.
 * @throws InputError for what is no JSON, or an object without a name.
 */
export function objectsIn(json: string): WatchedObjects {
  let list: Written;
  try {
    list = JSON.parse(json) as Written;
  } catch (error) {
    throw new InputError(`the objects on stdin are not JSON: ${String(error)}`);
  }
  const items = list.items ?? [list];
  for (const { kind, metadata } of items)
    if (typeof metadata?.name !== 'string')
      throw new InputError(`an object of kind ${String(kind)} has no metadata.name`);
  const of = (kind: string) => items.filter((one) => one.kind === kind);
  const namespaced = (kind: string) =>
    of(kind).map((one) => ({
      ...one,
      metadata: { namespace: 'default', ...one.metadata },
      spec: one.spec ?? {},
    }));
  return {
    namespaces: of('Namespace') as unknown as WatchedObjects['namespaces'],
    pods: namespaced('Pod') as unknown as WatchedObjects['pods'],
    policies: namespaced('NetworkPolicy') as unknown as WatchedObjects['policies'],
  };
}
