/**
 * Goal: a switch that shares the host's network says so when that has changed, also where its
 * tunnels end again by then, and has them after the next reset. Method: a process in a network
 * namespace, which stands for the host; one real switch of a node with a tunnel, addresses that
 * come and go, and what the switch says. A switch in a namespace of its own is notified of nothing.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { openImage } from '../../../../images/images.js';

await openImage('trixie', (line) => t.comment(line));

const script = `
  import { execFileSync } from 'node:child_process';
  const from = (path) => import(new URL(path, ${JSON.stringify(import.meta.url)}));
  const { openImage } = await from('../../../../images/images.js');
  const { withDeadline } = await from('../../../base/concurrency/deadline.js');
  const { yieldToEventLoop } = await from('../../../base/concurrency/yield-to-event-loop.js');
  const { antrea } = await from('../../../control/antrea/index.js');
  const { antreaCluster } = await from('../../../../topologies/antrea/antrea-cluster.js');
  const { openSim } = await from('../sim.js');

  const plan = antrea('0.8').plan(antreaCluster({ nodes: 2, podsPerNode: 1, tunnel: 'geneve' }));
  const sim = await openSim(plan, await openImage('trixie', () => undefined));
  const seen = [];
  const isUndisturbed = async () =>
    await sim.assertUndisturbed().then(() => 'undisturbed', (error) => error.constructor.name + ': ' + error.message);
  /** It is notified of the change some time later. */
  const heard = async () => {
    let last = await isUndisturbed();
    for (let turns = 0; last === 'undisturbed' && turns < 50; turns++) {
      await yieldToEventLoop();
      last = await isUndisturbed();
    }
    return last;
  };
  const change = (how, address) => execFileSync('ip', ['address', how, address, 'dev', 'lo']);
  try {
    await sim.reset();
    seen.push(await isUndisturbed());
    change('add', '10.99.0.1/24');
    seen.push(await heard());
    // One change is several messages, and the last may come behind a reset.
    for (let turns = 0; turns < 50; turns++) {
      await sim.reset();
      await yieldToEventLoop();
      if ((await isUndisturbed()) === 'undisturbed') break;
    }
    seen.push(await isUndisturbed());
    change('del', '10.99.0.1/24');
    seen.push(await heard());
  } finally {
    await sim.close();
  }
  console.log(JSON.stringify(seen));`;

const host = process.getuid?.() === 0 ? ['--net'] : ['--user', '--map-root-user', '--net'];
const refused = await promisify(execFile)('unshare', [
  ...host,
  '--',
  'ip',
  'address',
  'add',
  '10.99.0.1/24',
  'dev',
  'lo',
]).then(() => false as const, String);

async function resultWith(variables: NodeJS.ProcessEnv): Promise<unknown> {
  const args = [...host, '--', process.execPath, '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)('unshare', args, {
    env: { ...process.env, ...variables },
  });
  return JSON.parse(stdout);
}

void t.test('a change of the network that a switch is in', { skip: refused }, async (t) => {
  const lost =
    /^Disturbed: a link, an address or a route of this machine came or went while it was played: ovs-vswitchd of node n[12] dumped its routes again, and has no tunnels meanwhile$/;
  t.match(
    await resultWith({ FLOWBED_ISOLATION: 'none' }),
    ['undisturbed', lost, 'undisturbed', lost],
    'one that it shares',
  );
  t.strictSame(
    await resultWith({}),
    ['undisturbed', 'undisturbed', 'undisturbed', 'undisturbed'],
    'one of the host that it is not in',
  );
});
