/** Follows an API server and the northbound database. */
import { dropGroup } from '../../control/ovn-cni/names.js';
import type { Enforced, WatchedObjects } from '../../control/ovn-cni/watched-objects.js';
import { openDatabase, type Database } from '../ovn-cni/databases.js';
import { apiAccess, type ApiOptions } from './api-access.js';
import { apiServer, type ApiServer } from './api-server.js';
import { reconnecting } from './reconnect.js';
import { refusals } from './refusals.js';
import { isDone, resourceOf, type Reporting, type Resource } from './resource.js';
import { synchronize, watcherLock } from './sync.js';

const paths = {
  namespaces: '/api/v1/namespaces',
  pods: '/api/v1/pods',
  policies: '/apis/networking.k8s.io/v1/networkpolicies',
} as const;

type Resources = Readonly<Record<keyof typeof paths, Resource>>;

export interface FollowOptions extends ApiOptions {
  readonly northbound: string;
  readonly enforced: Enforced;
}

/**
 * Runs until the northbound database does not answer any more, or gives its lock to another: what
 * is written stays, and whoever starts it again begins with all there is. An API server that does
 * not answer is asked again; ports that come meanwhile stay closed.
 */
export async function follow(
  options: FollowOptions,
  report: (line: string) => void,
): Promise<never> {
  const server = apiServer(apiAccess(options));
  const database = await openDatabase('OVN_Northbound', options.northbound);
  try {
    report('waits for the lock');
    await database.ovsdb.lock(watcherLock);
    report('holds the lock');
    return await followBoth(server, database, options.enforced, report);
  } finally {
    database.close();
    server.close();
  }
}

async function followBoth(
  server: ApiServer,
  database: Database,
  enforced: Enforced,
  report: (line: string) => void,
): Promise<never> {
  const signal = wakeUp();
  const reporting: Reporting = { changed: signal.wake, report };
  const resources: Resources = {
    namespaces: resourceOf(server, paths.namespaces, reporting),
    pods: resourceOf(server, paths.pods, reporting),
    policies: resourceOf(server, paths.policies, reporting),
  };
  const all = Object.values(resources);
  const refresh = async () => void (await Promise.all(all.map((one) => one.refresh())));
  await firstLists(refresh, report);
  const ports = await database.watch({ Port_Group: ['name', 'ports'] });
  const portsNow = () =>
    JSON.stringify(
      [...ports.rows('Port_Group').values()].find(({ name }) => name === dropGroup)?.['ports'],
    );
  const portsChange = async (): Promise<never> => {
    for (;;) {
      const before = portsNow();
      await ports.until('ports to come or go', forever, () =>
        portsNow() === before ? ['none has'] : [],
      );
      signal.wake();
    }
  };
  const refused = refusals(server, report);
  const work = async (): Promise<never> => {
    let known = '';
    const reconnect = reconnecting();
    for (;;) {
      await signal.awake();
      const now = portsNow();
      // A new port is opened by no policy that is older than its pod: all are read again.
      if (now !== known && !(await isDone(refresh(), report))) {
        await reconnect.pause();
        signal.wake();
        continue;
      }
      reconnect.worked();
      known = now;
      const wanted = await synchronize(database.ovsdb, objectsOf(resources), enforced);
      report('synchronized');
      await refused.say(wanted.refused);
    }
  };
  return await Promise.race([
    work(),
    portsChange(),
    ...all.map((one) => one.follow(reconnecting())),
  ]);
}

async function firstLists(
  refresh: () => Promise<void>,
  report: (line: string) => void,
): Promise<void> {
  const reconnect = reconnecting();
  while (!(await isDone(refresh(), report))) await reconnect.pause();
}

/** Whoever is awake has seen all that has happened before. */
function wakeUp(): { wake(): void; awake(): Promise<void> } {
  let changed = true;
  let resume: () => void = () => undefined;
  return {
    wake: () => {
      changed = true;
      resume();
    },
    awake: async () => {
      while (!changed) await new Promise<void>((resolve) => (resume = resolve));
      changed = false;
    },
  };
}

/** Longer than any process runs; a timer takes no more. */
const forever = 2 ** 31 - 1;

function objectsOf(resources: Resources): WatchedObjects {
  return {
    namespaces: resources.namespaces.all(),
    pods: resources.pods.all() as unknown as WatchedObjects['pods'],
    policies: resources.policies.all() as unknown as WatchedObjects['policies'],
  };
}
