// Goal: a real Docker engine makes networks and containers through the plugin, and the bridge
// passes nothing of a container until the agent has added its port; whoever restarts, the four
// places agree. Method: two engines in namespaces of their own, each with a real Open vSwitch and
// the plugin as a process; what containers say to each other, and what each place holds.
import t from 'tap';
import { engineForTests, type EngineImage } from '../../../images/engines.js';
import { openImage } from '../../../images/images.js';
import type { AgentStep } from './agent/port-api.js';
import type { RealHypervisor } from './testkit/real-hypervisor.js';
import { creating, inRealWorld, running } from './testkit/real-world.js';

const engine = await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engine ? engine.missing : false;

interface World {
  readonly h1: RealHypervisor;
  readonly h2: RealHypervisor;
  readonly problems: () => Promise<readonly string[]>;
  /** What happens before the agent of h1 continues: nothing at first. */
  readonly meanwhile: { do: (step: AgentStep) => Promise<void> };
}

async function inWorld(engine: EngineImage, work: (world: World) => Promise<void>): Promise<void> {
  const meanwhile: World['meanwhile'] = { do: () => Promise.resolve() };
  const at = (name: string) =>
    name === 'h1' ? { agentDone: (step: AgentStep) => meanwhile.do(step) } : {};
  const image = await openImage('trixie', () => undefined);
  await inRealWorld(
    { engine, image, hypervisors: 2, at },
    async ({ hypervisors: [h1, h2], problems }) => {
      if (h1 === undefined || h2 === undefined) throw new Error('there are two hypervisors');
      await work({ h1, h2, problems, meanwhile });
    },
  );
}

const ping = (from: string, to: string) => ['exec', from, 'ping', '-c', '1', '-W', '2', to];
const addressOf = async (at: RealHypervisor, name: string) =>
  await at.docker(
    'inspect',
    '-f',
    '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
    name,
  );
const said = async (work: Promise<string>) => await work.catch((error: Error) => error.message);
const packets = (flows: string, flow: RegExp) =>
  Number(
    flows
      .split('\n')
      .filter((line) => flow.test(line))
      .map((line) => /n_packets=(\d+)/.exec(line)?.[1])[0],
  );

void t.test('real engines', { skip, timeout: 500_000 }, async (t) => {
  if ('missing' in engine) return;
  await inWorld(engine, async (world) => {
    const { h1, h2, problems } = world;
    await t.test('what is not there is refused at the docker client', async (t) => {
      const refused = async (...args: readonly string[]) => await said(h1.docker(...args));
      t.match(
        await refused(...creating('n', 'green', 'front', '10.1.1.0/24')),
        /no tenant called "gre/,
      );
      t.match(
        await refused(...creating('n', 'blue', 'side', '10.1.1.0/24')),
        /no network in tenant blu/,
      );
      t.match(
        await refused(...creating('n', 'blue', 'front', '10.9.0.0/24')),
        /it has 10\.1\.1\.0\/24/,
      );
      t.match(
        await refused(...creating('n', 'blue', 'front', '10.1.3.0/24')),
        /no subnet 10\.1\.3\.0\/24 in blue:front/,
      );
      const whole = creating('n', 'blue', 'front', '10.1.1.0/24');
      const without = (option: string) =>
        whole.filter((word, index) => word !== option && whole[index - 1] !== option);
      const right = /: docker network create --driver contrail --ipam-driver contrail --opt tena/;
      for (const option of ['--opt', '--ipam-opt', '--ipam-driver', '--subnet']) {
        t.match(await refused(...without(option)), right, `without ${option}`);
        t.strictSame([await h1.docker('network', 'ls', '-q', '-f', 'driver=contrail')], ['']);
      }
      t.strictSame([await h1.docker('network', 'ls', '-q', '-f', 'driver=contrail')], ['']);
      t.strictSame([await problems(), h1.hns.host().subnets ?? []], [[], []]);
    });
    await t.test('containers of a tenant reach each other, by the overlay as well', async (t) => {
      for (const each of [h1, h2]) {
        await each.docker(...creating('blue', 'blue', 'front', '10.1.1.0/24'));
        await each.docker(...creating('red', 'red', 'front', '10.1.1.0/24'));
      }
      await h1.docker(...running('blue', 'c1'));
      await h2.docker(...running('blue', 'c2', '/bin/nc', '-ll', '-p', '7', '-e', '/bin/cat'));
      await h2.docker(...running('red', 'r1'));
      await h1.docker(...running('blue', 'c3'));
      t.strictSame(await problems(), []);
      t.match(await said(h1.docker(...ping('c1', '10.1.1.4'))), / 0% packet loss/);
      t.match(await said(h1.docker(...ping('c1', '10.1.1.3'))), / 0% packet loss/);
      t.equal(
        await said(h1.docker('exec', 'c3', 'sh', '-c', 'echo over | nc -w 2 10.1.1.3 7')),
        'over',
      );
      t.notMatch(await said(h2.docker(...ping('r1', '10.1.1.3'))), / 0% packet loss/);
      t.match(
        await said(h1.docker('exec', 'c1', 'ip', 'route')),
        /default via 10\.1\.1\.1 dev eth0/,
      );
    });
    await t.test('in the window before its port is added, nothing of it passes', async (t) => {
      let seen: readonly number[] = [];
      world.meanwhile.do = async (step) => {
        if (step !== 'port asked') return;
        const endpoint = h1.hns.host().endpoints.at(-1)?.name.split('-')[0];
        const dropped = async () => packets(await h1.ofctl('dump-flows'), /table=0.*priority=0 /);
        const before = await dropped();
        await h1.run('ip', ['link', 'set', `con-${endpoint}`, 'up']);
        const asks = ['arping', '-q', '-c', '1', '-w', '1', '-D', '-I', `con-${endpoint}`];
        await h1.run('busybox', [...asks, '10.1.1.2']).catch(() => undefined);
        seen = [before, await dropped()];
      };
      await h1.docker(...running('blue', 'late'));
      world.meanwhile.do = () => Promise.resolve();
      t.ok((seen[1] ?? 0) > (seen[0] ?? 0), `what it sent was dropped: ${seen.join(', ')}`);
      t.match(
        await said(h1.docker(...ping('late', '10.1.1.3'))),
        / 0% packet loss/,
        'then it passes',
      );
      await h1.docker('rm', '--force', 'late');
      t.strictSame(await problems(), []);
    });
    await t.test('the plugin ends in a call, and the engine calls the next one', async (t) => {
      await h1.restartPlugin('9 endpoint received');
      const revived = h1.pluginEnded().then(() => h1.restartPlugin());
      t.match(await said(h1.docker(...running('blue', 'cut'))), /came without a body/);
      await revived;
      t.strictSame(await problems(), []);
      await h1.docker('start', 'cut');
      t.strictSame(await problems(), []);
      await h1.docker('rm', '--force', 'cut');
      await h1.restartPlugin();
      t.match(await said(h1.docker(...ping('c1', '10.1.1.3'))), / 0% packet loss/, 'restarted');
    });
    await t.test('the engine restarts, and is killed with a container alive', async (t) => {
      await h1.restartEngine('TERM');
      t.strictSame(await problems(), [], 'its containers have ended, and their ports with them');
      await h1.docker('start', 'c1');
      // Of c1 those that were there have the old MAC address in their caches for a while.
      await h2.docker(...running('blue', 'c4'));
      t.match(await said(h1.docker(...ping('c1', await addressOf(h2, 'c4')))), / 0% packet loss/);
      await h1.restartEngine('KILL');
      t.strictSame(await problems(), []);
      await h1.docker('start', 'c1');
      await h2.docker(...running('blue', 'c5'));
      t.match(await said(h1.docker(...ping('c1', await addressOf(h2, 'c5')))), / 0% packet loss/);
    });
    await t.test('everything goes', async (t) => {
      for (const each of [h1, h2]) {
        const all = (await each.docker('ps', '-aq')).split('\n').filter((id) => id !== '');
        await each.docker('rm', '--force', ...all);
        await each.docker('network', 'rm', 'blue', 'red');
      }
      t.strictSame(await problems(), []);
      t.strictSame([h1.hns.host().subnets, h2.hns.host().subnets], [[], []]);
      t.notMatch(await h1.run('ip', ['-o', 'link']), /nic-|con-/);
    });
  });
});
