/** Follows an API server and the northbound database. */
import { InputError } from '../../base/errors/errors.js';
import { dropGroup } from '../../control/ovn-cni/names.js';
import type { WatchedObjects } from '../../control/ovn-cni/watched-objects.js';
import { openDatabase } from '../ovn-cni/databases.js';
import type { ApiServer } from './api-server.js';
import { resourceOf, type Resource } from './resource.js';
import { synchronize, watcherLock } from './sync.js';

const paths = {
  namespaces: '/api/v1/namespaces',
  pods: '/api/v1/pods',
  policies: '/apis/networking.k8s.io/v1/networkpolicies',
} as const;

/**
 * Runs until the API server or the database does not answer any more: what is written stays, and
 * whoever starts it again begins with all there is.
 */
export async function follow(
  { northbound, ...server }: ApiServer & { readonly northbound: string },
  report: (line: string) => void,
): Promise<never> {
  if (!/^https?:\/\//.test(server.api))
    throw new InputError(`--api: expected a URL such as https://127.0.0.1:6443, got ${server.api}`);
  const database = await openDatabase('OVN_Northbound', northbound);
  try {
    await database.ovsdb.lock(watcherLock);
    report('holds the lock');
    let wake: () => void = () => undefined;
    let changed = true;
    const change = () => {
      changed = true;
      wake();
    };
    const resources = {
      namespaces: resourceOf(server, paths.namespaces, change),
      pods: resourceOf(server, paths.pods, change),
      policies: resourceOf(server, paths.policies, change),
    };
    const all: readonly Resource[] = Object.values(resources);
    const refresh = async () => void (await Promise.all(all.map((one) => one.refresh())));
    await refresh();
    const ports = await database.watch({ Port_Group: ['name', 'ports'] });
    let known = '';
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
        change();
      }
    };
    const refused = new Set<string>();
    const work = async (): Promise<never> => {
      for (;;) {
        while (!changed) await new Promise<void>((resolve) => (wake = resolve));
        changed = false;
        // A new port is opened by no policy that is older than its pod: all are read again.
        if (portsNow() !== known) await refresh();
        known = portsNow();
        const wanted = await synchronize(database.ovsdb, objectsOf(resources));
        for (const { policy, why } of wanted.refused)
          if (!refused.has(policy)) report(`NetworkPolicy ${policy}: ${why}`);
        for (const { policy } of wanted.refused) refused.add(policy);
        report('synchronized');
      }
    };
    return await Promise.race([work(), portsChange(), ...all.map((one) => one.follow())]);
  } finally {
    database.close();
  }
}

/** Longer than any process runs; a timer takes no more. */
const forever = 2 ** 31 - 1;

function objectsOf(resources: {
  readonly namespaces: Resource;
  readonly pods: Resource;
  readonly policies: Resource;
}): WatchedObjects {
  return {
    namespaces: resources.namespaces.all(),
    pods: resources.pods.all() as unknown as WatchedObjects['pods'],
    policies: resources.policies.all() as unknown as WatchedObjects['policies'],
  };
}
