/**
 * The watcher of ovn_cni's ports: `sync` takes objects of Kubernetes from stdin and brings the
 * northbound database to what they ask for, `follow` does so whenever an API server or the database
 * reports a change.
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { InputError } from '../../base/errors/errors.js';
import type { Enforced, WatchedObjects } from '../../control/ovn-cni/watched-objects.js';
import { openDatabase } from '../ovn-cni/databases.js';
import { confirmed, nextMark } from '../ovn-cni/logical-port.js';
import { objectsIn } from './objects-in.js';
import { synchronize, watcherLock } from './sync.js';

const help = `ovn_watcher sync [--northbound REMOTE] [--egress] < OBJECTS
ovn_watcher follow [--northbound REMOTE] [--egress]
            [--api URL [--token TOKEN] [--ca FILE | --insecure] | --kubeconfig FILE]

Lets in what NetworkPolicies allow to ports that ovn_cni has made, and everything where none of
them has a say. Policies with Egress are refused by name, in the log and as events of Kubernetes:
what comes in is restricted, what goes out is not.

  --northbound REMOTE   unix:PATH or tcp:HOST:PORT (default: unix:/run/ovn/ovnnb_db.sock)
  --egress              restricts what goes out as well
  --kubeconfig FILE     the API server, as kubectl finds it; a pod needs none
  --api URL             the API server, such as https://127.0.0.1:6443
  --token TOKEN         a bearer token
  --ca FILE             certificates that the server's is checked by
  --insecure            the server's certificate is not checked
  --help                prints this

sync reads a List, as kubectl get -o json prints it. follow ends when the northbound database does
not answer; of two that follow, one waits for the other.
`;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(help);
    return 0;
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        northbound: { type: 'string', default: 'unix:/run/ovn/ovnnb_db.sock' },
        egress: { type: 'boolean', default: false },
        kubeconfig: { type: 'string' },
        api: { type: 'string' },
        token: { type: 'string' },
        ca: { type: 'string' },
        insecure: { type: 'boolean', default: false },
      },
    });
    const [command = ''] = positionals;
    const enforced = values.egress ? 'ingress and egress' : 'ingress';
    if (command === 'sync') await syncOnce(values.northbound, enforced);
    else if (command === 'follow') {
      // Kubernetes' client takes longer to load than all else does to run.
      const { follow } = await import('./follow.js');
      await follow({ ...values, enforced }, report);
    } else throw new InputError(`unknown command "${positionals.join(' ')}": see --help`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    report(error.message);
    return error instanceof InputError || error instanceof TypeError ? 2 : 3;
  }
}

async function syncOnce(remote: string, enforced: Enforced): Promise<void> {
  const objects: WatchedObjects = objectsIn(await text(process.stdin));
  const database = await openDatabase('OVN_Northbound', remote);
  try {
    await database.ovsdb.lock(watcherLock);
    const { refused } = await synchronize(database.ovsdb, objects, enforced);
    for (const { policy, why } of refused) report(`NetworkPolicy ${policy}: ${why}`);
    const results = await database.ovsdb.transact(nextMark);
    await confirmed(database, 'ovn-northd', Number(results.at(-1)?.[0]?.['nb_cfg']));
  } finally {
    database.close();
  }
}

function report(line: string): void {
  process.stderr.write(`ovn_watcher: ${line}\n`);
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
