/**
 * Goal: no reply is lost, mixed up or waited for in vain, however the stream is cut. Method: random
 * values joined without a delimiter and cut at random bytes come back as they were; a server in
 * this process plays the peer that answers out of order, asks back, and hangs up.
 */
import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Unavailable } from '../../base/errors/errors.js';
import { connectJsonRpc, jsonSplitter } from './json-rpc.js';

void t.test('values come back from a stream cut anywhere', async (t) => {
  const text = fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', 'a', 'é', '網', '😀', '\n'),
  });
  const value = fc.oneof(
    fc.dictionary(text, fc.oneof(text, fc.jsonValue())),
    fc.array(fc.jsonValue()),
  );
  const inputs = fc.array(value, { maxLength: 5 }).chain((values) => {
    const stream = Buffer.from(values.map((item) => JSON.stringify(item)).join(''));
    return fc.record({
      values: fc.constant(values),
      stream: fc.constant(stream),
      cuts: fc.array(fc.nat(stream.length), { maxLength: 8 }),
    });
  });
  const property = fc.property(inputs, ({ values, stream, cuts }) => {
    const edges = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
    const split = jsonSplitter();
    const found = edges.slice(1).flatMap((end, index) => split(stream.subarray(edges[index], end)));
    return JSON.stringify(found) === JSON.stringify(values);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
});

void t.test('what is not JSON is an error', async (t) => {
  t.throws(() => jsonSplitter()(Buffer.from('{a}')), SyntaxError);
  t.throws(() => jsonSplitter()(Buffer.from(']')), SyntaxError);
  t.throws(() => jsonSplitter()(Buffer.from('{} x {}')), SyntaxError);
});

void t.test('a connection', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'flowbed-test-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const listen = (name: string, serve: (socket: Socket) => void) =>
    new Promise<string>((resolve) => {
      const path = join(dir, name);
      const server = createServer(serve).listen(path, () => resolve(path));
      t.teardown(() => server.close());
    });
  const peer = {
    name: 'a peer',
    whyEnded: async () => new Unavailable('a peer was ended by SIGKILL', [], ['its last line']),
  };

  await t.test('matches replies to requests by id', async (t) => {
    const path = await listen('order', (socket) => {
      const requests: { id: number; params: unknown }[] = [];
      const split = jsonSplitter();
      socket.on('data', (chunk) => {
        requests.push(...(split(chunk) as typeof requests));
        if (requests.length === 2)
          socket.write(
            requests
              .reverse()
              .map(({ id, params }) => JSON.stringify({ id, result: params, error: null }))
              .join(''),
          );
      });
    });
    const connection = await connectJsonRpc(path, peer);
    const replies = await Promise.all([connection.request('a', [1]), connection.request('b', [2])]);
    t.strictSame(
      replies.map(({ result }) => result),
      [[1], [2]],
    );
    connection.close();
    await t.rejects(connection.request('c', []), {
      name: 'Unavailable',
      message: 'the connection to a peer is closed',
    });
  });

  await t.test('answers echo', async (t) => {
    let received: (text: string) => void = () => undefined;
    const answer = new Promise<string>((resolve) => (received = resolve));
    const path = await listen('echo', (socket) => {
      socket.on('data', (chunk) => received(chunk.toString()));
      socket.write('{"id":"echo","method":"echo","params":["x"]}');
    });
    const connection = await connectJsonRpc(path, peer);
    t.strictSame(JSON.parse(await answer), { id: 'echo', result: ['x'], error: null });
    connection.close();
  });

  await t.test('fails what waits when the peer hangs up, and what comes after', async (t) => {
    const connection = await connectJsonRpc(
      await listen('end', (socket) => socket.on('data', () => socket.destroy())),
      peer,
    );
    const expected = {
      name: 'Unavailable',
      message: 'a peer was ended by SIGKILL',
      evidence: ['its last line'],
    };
    await t.rejects(connection.request('a', []), expected);
    await t.rejects(connection.request('b', []), expected);
  });
});
