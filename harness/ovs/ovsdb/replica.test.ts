/**
 * Goal: a replica is never older than what the server has said. Method: a server in this process
 * answers `monitor` and sends an update behind it, in one piece and in two.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Unavailable } from '../../base/errors/errors.js';
import { jsonSplitter } from './json-rpc.js';
import { connectReplica } from './replica.js';

const row = (number: number) => ({ T: { u: { new: { n: number } } } });

for (const pieces of ['one piece', 'two pieces'] as const)
  void t.test(`an update behind the first state, in ${pieces}`, async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'flowbed-test-'));
    t.teardown(() => rm(dir, { recursive: true }));
    const path = join(dir, 's');
    const server = createServer((socket) => {
      const split = jsonSplitter();
      socket.on('data', (chunk) => {
        for (const { id } of split(chunk) as readonly { readonly id: unknown }[]) {
          const reply = JSON.stringify({ id, result: row(1), error: null });
          const update = JSON.stringify({ id: null, method: 'update', params: [null, row(2)] });
          if (pieces === 'one piece') socket.write(reply + update);
          else socket.write(reply, () => socket.write(update));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    t.teardown(() => server.close());
    const peer = { name: 'a server', whyEnded: async () => new Unavailable('it has gone') };
    const replica = await connectReplica(path, 'D', peer, { T: ['n'] });
    await replica.until('n to be 2', 5_000, (held) => {
      const n = held.rows('T').get('u')?.['n'];
      return n === 2 ? [] : [`n is ${String(n)}`];
    });
    t.strictSame([...replica.rows('T').values()], [{ n: 2 }]);
    replica.close();
  });
