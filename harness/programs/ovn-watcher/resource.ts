/** All objects of one kind, kept up to date. */
import { list, watch, type ApiObject, type ApiServer } from './api-server.js';

export interface Resource {
  /** As they were last reported. */
  all(): readonly ApiObject[];
  /** Lists again: as new as anything that has been written before. */
  refresh(): Promise<void>;
  /** Follows until the server does not answer any more, which is its failure. */
  follow(): Promise<never>;
}

/** @param changed is called after each change. */
export function resourceOf(server: ApiServer, path: string, changed: () => void): Resource {
  let objects = new Map<string, ApiObject>();
  let version = '';
  const refresh = async () => {
    const listed = await list(server, path);
    objects = new Map(listed.items.map((one) => [keyOf(one), one]));
    version = listed.resourceVersion;
  };
  return {
    all: () => [...objects.values()],
    refresh,
    follow: async () => {
      for (;;) {
        for await (const { type, object } of watch(server, path, version)) {
          if (type === 'ERROR') {
            // Mostly 410 Gone: what happened since then, nobody can say.
            await refresh();
            changed();
            break;
          }
          version = object.metadata.resourceVersion ?? version;
          if (type === 'BOOKMARK' || isOlder(object, objects.get(keyOf(object)))) continue;
          if (type === 'DELETED') objects.delete(keyOf(object));
          else objects.set(keyOf(object), object);
          changed();
        }
      }
    },
  };
}

/** A list that was asked for meanwhile may be ahead of the watch. */
function isOlder(object: ApiObject, held: ApiObject | undefined): boolean {
  const number = (one: ApiObject | undefined) => Number(one?.metadata.resourceVersion ?? 0);
  return number(object) < number(held);
}

function keyOf({ metadata: { name, namespace = '' } }: ApiObject): string {
  return `${namespace}/${name}`;
}
