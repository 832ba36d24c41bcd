/**
 * Goal: connections of real stacks live through changes, every segment accounted for, and what is
 * done wrong on purpose is found. Method: network namespaces; each change as it should be, and
 * each fault under one of them; captures without room for what they see.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { openImage } from '../../images/images.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { systemProgram } from '../ovs/process/system-program.js';
import { netnsUserspace } from '../testbeds/netns/netns-backend.js';
import { whatNamespacesLack } from '../testbeds/kernel/namespace.js';
import { liveChangeNamed, liveChanges } from './changes.js';
import type { ChangeFault } from './planted-faults.js';
import { runChange } from './run-change.js';
import { startTalker } from './talker.js';
import { talkProgram } from './talking-programs.js';

const skip = whatNamespacesLack() ?? false;
const image = await openImage('trixie', (line) => t.comment(line));

async function run(name: string, fault?: ChangeFault) {
  const places = await netnsUserspace.places?.(image);
  if (places === undefined) throw new Error('it has real hosts');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const planted = fault === undefined ? {} : { fault };
  return await runChange(liveChangeNamed(name), { places, image, teardown, ...planted });
}

/**
 * Beside other work, the captures of a switch that restarts may miss segments that came through.
 */
const restart = 'antrea/switch-restarts';
const isRestartAsked = process.env['FLOWBED_SWITCH_RESTARTS'] !== undefined;

async function livesThrough(t: Test, name: string): Promise<void> {
  const { differences, account, rounds, within } = await run(name);
  t.strictSame(differences, [], name);
  t.ok(rounds > within, `${name}: ${rounds} rounds`);
  for (const { way, sent } of account) t.ok(sent > rounds, `${name}: ${sent} ${way}`);
}

void t.test('a client whose answer is lost gives up', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const perl = systemProgram('perl');
  const args = ['127.0.0.1', String(port), '8000', '300'];
  const client = startTalker('the client', [perl, '-e', talkProgram, ...args]);
  t.match(await client.next(), /^open \d+$/);
  client.say('go');
  t.equal(await client.next(), 'cut Connection timed out');
  await client.close();
  silent.close();
});

void t.test('connections live, and new ones meet what holds now', { skip }, async (t) => {
  for (const { name } of liveChanges) if (name !== restart) await livesThrough(t, name);
});

void t.test(
  'connections live through a restart of their switch',
  {
    skip: skip !== false || isRestartAsked ? skip : 'on a quiet machine: FLOWBED_SWITCH_RESTARTS=1',
  },
  (t) => livesThrough(t, restart),
);

void t.test('a capture that loses frames gives no verdict', { skip }, async (t) => {
  await t.rejects(run('antrea/policy-comes', 'captures-too-small'), {
    name: 'Unavailable',
    message: /^the capture at .* has lost \d+ of \d+ frames, \d+ of them for want of room/,
  });
});

void t.test('what is done wrong is found', { skip }, async (t) => {
  const found = [
    ['antrea/endpoint-leaves', 'connections-forgotten', /is cut/],
    [
      'antrea/policy-comes',
      'flows-gone',
      /a segment .* is lost (at the node of its sender|behind the network between nodes)/,
    ],
    ['antrea/policy-comes', 'change-forgotten', /nobody should answer it/],
    ['antrea/node-restarts', 'change-forgotten', /is cut after 1\d of [^]*far should take it/],
  ] as const;
  for (const [name, fault, words] of found)
    t.match((await run(name, fault)).differences.join('\n'), words, fault);
});
