/** All objects of one kind, kept up to date. */
import { Unavailable } from '../../base/errors/errors.js';
import {
  gone,
  list,
  watch,
  type ApiObject,
  type ApiServer,
  type WatchEvent,
} from './api-server.js';
import type { Reconnecting } from './reconnect.js';

export interface Resource {
  /** As they were last reported. */
  all(): readonly ApiObject[];
  /** Lists again: as new as anything that has been written before. @throws Unavailable */
  refresh(): Promise<void>;
  /** Follows for ever: a server that does not answer is asked again, and what it says. */
  follow(reconnect: Reconnecting): Promise<never>;
}

export interface Reporting {
  /** Called after each change. */
  changed(): void;
  report(line: string): void;
}

export function resourceOf(
  server: ApiServer,
  path: string,
  { changed, report }: Reporting,
): Resource {
  let objects: ReadonlyMap<string, ApiObject> = new Map();
  /** Of the last list: the state is that of this version, and of the events behind it. */
  let listed = 0n;
  let followed = 0n;
  /** Events that come while a list is asked for, which may be older than they are. */
  let meanwhile: WatchEvent[] | undefined;
  let refreshed: Promise<void> = Promise.resolve();
  const apply = (event: WatchEvent) => {
    const version = versionOf(event.object);
    // A watch may still be behind a list, and an object was known to be newer.
    if (version <= listed || version < versionOf(objects.get(keyOf(event.object)))) return;
    const next = new Map(objects);
    if (event.type === 'DELETED') next.delete(keyOf(event.object));
    else next.set(keyOf(event.object), event.object);
    objects = next;
  };
  const listAgain = async () => {
    meanwhile = [];
    const { items, resourceVersion } = await list(server, path);
    const version = BigInt(resourceVersion);
    if (version < listed)
      throw new Unavailable(
        `${path}: the API server is behind: it lists version ${version} after ${listed}`,
      );
    objects = new Map(items.map((one) => [keyOf(one), one]));
    listed = version;
    for (const event of meanwhile) apply(event);
    meanwhile = undefined;
    if (followed < listed) followed = listed;
  };
  // One after the other: a list that is under way may be older than what is asked for now.
  const refresh = async () => {
    refreshed = refreshed.catch(() => undefined).then(listAgain);
    await refreshed;
  };
  /** @returns whether it has to list. */
  const followOnce = async (reconnect: Reconnecting): Promise<'behind' | 'up to date'> => {
    for await (const event of watch(server, path, String(followed))) {
      if (event === gone) return 'behind';
      reconnect.worked();
      const version = versionOf(event.object);
      if (version > followed) followed = version;
      if (event.type === 'BOOKMARK') continue;
      meanwhile?.push(event);
      apply(event);
      changed();
    }
    return 'up to date';
  };
  return {
    all: () => [...objects.values()],
    refresh,
    follow: async (reconnect) => {
      for (;;) {
        try {
          if ((await followOnce(reconnect)) === 'behind') {
            report(`${path}: the API server has forgotten version ${followed}: listed again`);
            await refresh();
            changed();
          } else await reconnect.pause();
        } catch (error) {
          if (!(error instanceof Unavailable)) throw error;
          report(error.message);
          await reconnect.pause();
          // What was missed may be more than a watch reports.
          if (await isDone(refresh(), report)) changed();
        }
      }
    },
  };
}

/** Whether the server has answered; what it says instead is reported. */
export async function isDone(
  work: Promise<void>,
  report: (line: string) => void,
): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    report(error.message);
    return false;
  }
}

function versionOf(object: ApiObject | undefined): bigint {
  const version = object?.metadata?.resourceVersion ?? '';
  return /^\d+$/.test(version) ? BigInt(version) : 0n;
}

function keyOf({ metadata: { name, namespace = '' } }: ApiObject): string {
  return `${namespace}/${name}`;
}
