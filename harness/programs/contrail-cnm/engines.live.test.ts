// Goal: with real engines on three hypervisors, containers that come and go in random order leave
// nothing, and have an address each; labels of MPLS carry what they say to each other; whoever is
// first, adapter or port, a container is reached once both are there; a controller that is slow,
// down or answers 409 costs a call alone. Method: engines, switches and plugins in namespaces;
// COUNT=200 makes more containers, ENGINE=bookworm has Docker 20.10.
import t, { type Test } from 'tap';
import { engineForTests, engines } from '../../../images/engines.js';
import { openImage } from '../../../images/images.js';
import { overlayPorts } from '../../control/contrail/overlay.js';
import { friendlyNameOf } from '../../control/windows/hns-subnet.js';
import { askJson } from './http/json-client.js';
import { numbersFrom } from './testkit/numbers.js';
import { creating, inRealWorld, running, type RealWorld } from './testkit/real-world.js';
import type { RealHypervisor } from './testkit/real-hypervisor.js';

const name = engines.find((one) => one.name === process.env['ENGINE'])?.name ?? 'trixie';
const engine = await engineForTests(name, (line) => t.comment(line));
const skip = 'missing' in engine ? engine.missing : false;
const count = Number(process.env['COUNT'] ?? 12);

const said = async (work: Promise<string>) => await work.catch((error: Error) => error.message);
const ping = (from: string, to: string) => ['exec', from, 'ping', '-c', '1', '-W', '2', to];
const inspecting = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';

type Mode = 'well' | 'conflict' | 'slow';
interface Held {
  mode: Mode;
  /** What somebody else does when HNS has made a compartment, before there is an adapter. */
  compartmentMade: () => Promise<void>;
}

void t.test('three engines', { skip, timeout: 550_000 }, async (t) => {
  if ('missing' in engine) return;
  const image = await openImage('trixie', () => undefined);
  const held: Held = { mode: 'well', compartmentMade: () => Promise.resolve() };
  const world = {
    engine,
    image,
    hypervisors: 3,
    at: (name: string) => ({
      overlay: overlayPorts['mpls-over-gre'],
      hnsDone: async (step: string) => {
        if (name === 'h1' && step === 'compartment made') await held.compartmentMade();
      },
    }),
    before: async ({ method, path }: { readonly method: string; readonly path: string }) => {
      if (held.mode === 'slow') for (let i = 0; i < 5000; i++) await new Promise(setImmediate);
      return held.mode === 'conflict' && method === 'POST' && path === '/virtual-machines'
        ? { status: 409, body: 'it already exists' }
        : undefined;
    },
  };
  await inRealWorld(world, async (world) => {
    for (const { docker } of world.hypervisors)
      for (const tenant of ['blue', 'red'])
        await docker(...creating(tenant, tenant, 'front', '10.1.1.0/24'));
    await t.test('labels of MPLS between them', (t) => labels(t, world));
    await t.test('the port is added first', (t) => portFirst(t, world, held));
    await t.test('somebody else deletes flows', (t) => flowsGone(t, world));
    await t.test('the controller', (t) => controllers(t, world, held));
    await t.test(`${count} containers in random order`, (t) => many(t, world));
    await t.test('everything goes', async (t) => {
      for (const { docker } of world.hypervisors) await docker('network', 'rm', 'blue', 'red');
      t.strictSame(await world.problems(), []);
      const left = world.controller.database().resources.map(({ type }) => type);
      t.strictSame([...new Set(left)].sort(), ['project', 'virtual-network']);
      for (const { run, hns } of world.hypervisors) {
        t.strictSame(hns.host().subnets, []);
        t.notMatch(await run('ip', ['-o', 'link']), /nic-|con-/);
      }
    });
  });
});

const [blue1, blue2] = ['blue-h1', 'blue-h2'];

async function labels(t: Test, { hypervisors: [h1, h2] }: RealWorld): Promise<void> {
  if (h1 === undefined || h2 === undefined) throw new Error('there are hypervisors');
  await h1.docker(...running('blue', blue1));
  await h2.docker(...running('blue', blue2));
  await h2.docker(...running('red', 'red-h2'));
  t.match(await said(h1.docker(...ping(blue1, '10.1.1.3'))), / 0% packet loss/);
  t.match(
    await h1.ofctl('dump-flows'),
    /n_packets=[1-9][^\n]*push_mpls:0x8847,set_field:1->mpls_label/,
  );
  t.match(
    await h2.ofctl('dump-flows'),
    /n_packets=[1-9][^\n]*mpls_label=1,mpls_bos=1 actions=pop_mpls:0x0800/,
  );
  t.notMatch(await said(h2.docker(...ping('red-h2', '10.1.1.3'))), / 0% packet loss/);
  await h2.docker('rm', '--force', 'red-h2');
}

async function portFirst(t: Test, world: RealWorld, held: Held): Promise<void> {
  const [h1] = world.hypervisors;
  if (h1 === undefined) throw new Error('there are hypervisors');
  let [portFlows, adapterFlows] = ['', ''];
  const agent = { name: 'the vRouter agent', address: h1.agent.address };
  held.compartmentMade = async () => {
    const made = h1.hns.host().endpoints.at(-1);
    const database = world.controller.database().resources;
    const own = database.find(
      ({ type, fqName }) =>
        type === 'virtual-machine-interface' && fqName.at(-1) === `h1--${made?.sandbox}`,
    );
    const ref = (type: string) => own?.refs.find((one) => one.type === type)?.uuid;
    const added = await askJson(agent, 'POST', '/port', {
      id: own?.uuid,
      'instance-id': ref('virtual-machine'),
      'vn-id': ref('virtual-network'),
      'display-name': own?.fqName.at(-1),
      'ip-address': made?.ip,
      'mac-address': made?.mac,
      'system-name': friendlyNameOf(made?.name ?? ''),
    });
    t.equal(added.status, 200, 'the agent takes a port of no adapter');
    portFlows = await h1.ofctl('dump-flows');
    adapterFlows = await h1.run('ip', ['-o', 'link']);
    held.compartmentMade = () => Promise.resolve();
  };
  await h1.docker(...running('blue', 'early'));
  const ip = (await h1.docker('inspect', '-f', inspecting, 'early')).trim();
  t.match(portFlows, new RegExp(`arp_tpa=${ip.replaceAll('.', '\\.')} `), 'it is answered for');
  t.notMatch(portFlows, new RegExp(`nw_src=${ip} `), 'no port sends under its address');
  t.notMatch(adapterFlows, new RegExp(h1.hns.host().endpoints.at(-1)?.name.split('-')[0] ?? 'x'));
  t.match(await said(h1.docker(...ping(blue1, ip))), / 0% packet loss/, 'then it is reached');
  t.strictSame(await world.problems(), []);
  await h1.docker('rm', '--force', 'early');
  t.strictSame(await world.problems(), []);
}

/** They are back with the next port, though the agent sends what is other than before alone. */
async function flowsGone(t: Test, { hypervisors: [h1] }: RealWorld): Promise<void> {
  if (h1 === undefined) throw new Error('there are hypervisors');
  await h1.ofctl('del-flows', 'table=30');
  t.notMatch(await said(h1.docker(...ping(blue1, '10.1.1.3'))), / 0% packet loss/);
  await h1.docker(...running('blue', 'next'));
  t.match(await said(h1.docker(...ping(blue1, '10.1.1.3'))), / 0% packet loss/);
  await h1.docker('rm', '--force', 'next');
}

async function controllers(t: Test, world: RealWorld, held: Held): Promise<void> {
  const { hypervisors, controller, problems } = world;
  const [h1] = hypervisors;
  if (h1 === undefined) throw new Error('there are hypervisors');
  held.mode = 'conflict';
  t.match(await said(h1.docker(...running('blue', 'one'))), /with 409: it already exists/);
  held.mode = 'slow';
  t.strictSame(await problems(), [], 'nothing is left of it');
  await h1.docker('start', 'one');
  held.mode = 'well';
  t.strictSame(await problems(), [], 'slow is no refusal');
  let comeBack = await controller.goAway();
  t.match(await said(h1.docker(...running('blue', 'two'))), /controller .* nobody is there/);
  t.match(
    await said(h1.docker(...creating('three', 'blue', 'back', '10.1.3.0/24'))),
    /controller .* nobody is there/,
  );
  await comeBack();
  t.strictSame(await problems(), []);
  comeBack = await controller.goAway();
  await h1.docker('rm', '--force', 'one');
  await comeBack();
  t.not((await problems()).length, 0, 'nobody could delete it at the controller');
  await h1.docker('start', 'two');
  t.strictSame(await problems(), [], 'the next call does');
  await h1.docker('rm', '--force', 'two');
}

async function many(t: Test, { hypervisors, problems }: RealWorld): Promise<void> {
  const below = numbersFrom(7);
  const up: { readonly at: RealHypervisor; readonly name: string }[] = [];
  let made = 0;
  while (made < count || up.length > 0) {
    const batch: Promise<unknown>[] = [];
    for (let i = 0; i < 3; i++) {
      const isMade = made < count && (up.length < 3 || below(3) > 0);
      const gone = isMade ? undefined : up.splice(below(up.length), 1)[0];
      if (gone !== undefined) batch.push(gone.at.docker('rm', '--force', gone.name));
      const at = hypervisors[below(hypervisors.length)];
      if (!isMade || at === undefined) continue;
      const name = `many-${(made += 1)}`;
      const network = below(2) === 0 ? 'blue' : 'red';
      batch.push(at.docker(...running(network, name)).then(() => up.push({ at, name })));
    }
    await Promise.all(batch);
    if (made >= count && up.length % 10 < 3) t.strictSame(await problems(), [], `${up.length} up`);
  }
  for (const [at, name] of [
    [hypervisors[0], blue1],
    [hypervisors[1], blue2],
  ] as const)
    await at?.docker('rm', '--force', name);
  t.strictSame(await problems(), []);
}
