// Goal: an engine that ends is named, whoever asks it and whenever, and what it refuses stays what
// it says. Method: a server at a socket that answers as an engine does, until it hangs up.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import t from 'tap';
import { connectEngine, statusOf } from './engine.js';
import { launchIn } from './launch-in.js';

/** It knows its version, and no container. */
async function served(socket: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isVersion = request.url?.includes('/version') === true;
    response.writeHead(isVersion ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isVersion ? { Version: '20.10.24' } : { message: 'no such' }));
  }).listen(socket);
  await once(server, 'listening');
  return server;
}

void t.test('an engine that ends', async (t) => {
  const socket = join(t.testdir({}), 's');
  const server = await served(socket);
  const { client } = await connectEngine(`unix://${socket}`);
  const inspected = () => client.getContainer('c').inspect();
  const refused = await inspected().catch((error: unknown) => error);
  t.equal(statusOf(refused), 404, 'what it refuses has its status');
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  const gone = { name: 'Unavailable', message: `the Docker engine at ${socket} answers no more` };
  await t.rejects(inspected(), gone);
  await t.rejects(client.listContainers(), gone);
});

void t.test('a daemon whose engine ends has ended, and nobody is left waiting', async (t) => {
  const printed = new PassThrough();
  let inspections = 0;
  const exec = {
    start: () => Promise.resolve(printed),
    inspect: () =>
      ++inspections === 1
        ? Promise.resolve({ Pid: 1, Running: true, ExitCode: null })
        : Promise.reject(new Error('answers no more')),
  };
  const container = {
    exec: () => Promise.resolve(exec),
    modem: { demuxStream: () => undefined },
  } as unknown as Docker.Container;
  const launch = launchIn(container, '/root', () => Promise.resolve(undefined));
  const logFile = join(t.testdir({}), 'log');
  const { exited } = await launch({ dir: '/', command: ['x'], environment: {}, logFile });
  printed.resume().end();
  t.equal(await exited, 'ended, and how is not known: answers no more');
});
