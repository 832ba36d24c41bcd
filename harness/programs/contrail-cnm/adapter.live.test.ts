// Goal: on a real engine no container starts where the bridge has no physical adapter, nothing of
// it is left, and no container ever gets a number that is reserved. Method: an engine in namespaces
// of its own, the plugin as a process, a bridge whose port `uplink` is taken away and comes back.
import t from 'tap';
import { engineForTests } from '../../../images/engines.js';
import { openImage } from '../../../images/images.js';
import { firstContainerPort } from './hns/bridge-ports.js';
import { bridge } from './testkit/real-switch.js';
import { creating, inRealWorld, running } from './testkit/real-world.js';

const engine = await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engine ? engine.missing : false;

void t.test('the physical adapter goes, and comes back', { skip, timeout: 300_000 }, async (t) => {
  if ('missing' in engine) return;
  const image = await openImage('trixie', () => undefined);
  const world = { engine, image, hypervisors: 1 };
  await inRealWorld(world, async ({ hypervisors: [h1], problems }) => {
    if (h1 === undefined) throw new Error('there is a hypervisor');
    const numbers = async () =>
      [...(await h1.ofctl('show')).matchAll(/^ (\d+)\(([^)]+)\)/gm)]
        .map(([, number, name]) => ({ number: Number(number), name }))
        .filter(({ name }) => name?.startsWith('nic-'));
    await h1.docker(...creating('blue', 'blue', 'front', '10.1.1.0/24'));
    await h1.vsctl('del-port', bridge, 'uplink');
    const refused = await h1.docker(...running('blue', 'early')).then(
      () => 'it starts',
      (error: Error) => error.message,
    );
    t.match(refused, /br-vrouter has no physical adapter \W+uplink/);
    t.strictSame([await numbers(), await problems()], [[], []], 'no port is left of it');
    await h1.vsctl(
      ...['add-port', bridge, 'uplink', '--', 'set', 'interface', 'uplink', 'ofport_request=1'],
    );
    await h1.docker('rm', '--force', 'early');
    await h1.docker(...running('blue', 'c1'));
    await h1.docker(...running('blue', 'c2'));
    const given = await numbers();
    t.equal(given.length, 2);
    t.ok(
      given.every(({ number }) => number >= firstContainerPort),
      JSON.stringify(given),
    );
    t.match(await h1.docker('exec', 'c1', 'ping', '-c', '1', '-W', '2', '10.1.1.3'), / 0% packet/);
    t.strictSame(await problems(), []);
  });
});
