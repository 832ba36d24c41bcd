/**
 * ovsdb_transact REMOTE DATABASE < OPERATIONS: one transaction, as RFC 7047 writes its operations.
 * Planted faults write by it what no program of this project would.
 */
import { text } from 'node:stream/consumers';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { connectOvsdb, type Operation } from '../../ovs/ovsdb/ovsdb.js';
import { parseRemote } from '../ovn-cni/remote.js';

async function main([remote = '', database = '']: readonly string[]): Promise<number> {
  const peer = {
    name: `${database} at ${remote}`,
    whyEnded: async () => new Unavailable(`${database} at ${remote} has hung up`),
  };
  try {
    const operations = JSON.parse(await text(process.stdin)) as readonly Operation[];
    const ovsdb = await connectOvsdb(parseRemote(remote), database, peer);
    await ovsdb.transact(operations).finally(() => ovsdb.close());
    return 0;
  } catch (error) {
    process.stderr.write(`ovsdb_transact: ${String(error)}\n`);
    return error instanceof InputError || error instanceof SyntaxError ? 2 : 3;
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
