/**
 * Goal: the bundle does what the modules do that it was made of, and says in the same words where a
 * fault is. Method: both answer the same request, a good one and a wrong one; a place of the bundle
 * is looked up in what was written.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { flowbedIn, flowbedOf } from '../flowbed-process.js';
import { writtenStack } from './written-stack.js';

const bundle = new URL('../../../bundle/', import.meta.url);
const root = new URL('../../../../', import.meta.url);

void t.test('it answers as dist does', async (t) => {
  const folder = t.testdir({ flows: 'priority=1,ip actions=output:2\npriority=0 actions=drop\n' });
  const main = fileURLToPath(new URL('main.js', bundle));
  for (const packet of ['in_port=1,udp', 'in_port=1,no_such_field=1']) {
    const args = ['trace', '--flows', 'flows', packet];
    const [bundled, apart] = await Promise.all([
      flowbedOf(main, folder, args),
      flowbedIn(folder, args),
    ]);
    t.strictSame(bundled, apart, packet);
    t.equal(bundled.code, packet.includes('no_such') ? 2 : 0);
  }
  const listed = await flowbedOf(main, folder, ['list']);
  t.match(listed, { code: 0, stdout: /^Scenarios\n {2}antrea +\d+ scenarios/ }, 'list');
  const supervised = await flowbedOf(main, folder, ['list', 'antrea/no-such']);
  t.match(supervised, { code: 2, stderr: /antrea\/no-such/ }, 'a process beneath it');
});

void t.test('a stack names what was written', (t) => {
  const name = readdirSync(bundle).find((file) => /^trace-.*\.js$/.test(file)) ?? '';
  const row = readFileSync(new URL(name, bundle), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes('is about one packet, not about a script'));
  const mapped = writtenStack(`    at trace (${new URL(name, bundle).href}:${row + 1}:12)`);
  const [, url = '', line] = /\((.*):(\d+):\d+\)$/.exec(mapped) ?? [];
  t.equal(url, new URL('harness/cli/packets/trace.ts', root).href);
  t.match(
    readFileSync(new URL(url), 'utf8').split('\n')[Number(line) - 1],
    /not about a script/,
    'on the same line',
  );
  t.equal(writtenStack('at x (file:///no/such.js:1:2)'), 'at x (file:///no/such.js:1:2)');
  t.end();
});
