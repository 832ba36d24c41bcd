/**
 * Goal: a cluster of containers does what the sim does, one that dies is said with its log, and
 * nothing of it is left. Method: an engine of this test's own; frames through two nodes, compared
 * with the sim; a node that restarts whole; a container that is killed, and an engine that is not
 * there or not to be used.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { engineForTests } from '../../../images/engines.js';
import { openImage } from '../../../images/images.js';
import { findLeftContainers } from '../../docker/left-containers.js';
import { connectEngine } from '../../docker/engine.js';
import { nodeImageOf, pruneImages, referenceOf } from '../../docker/node-image.js';
import { thisPlace } from '../../docker-engine/namespaces.js';
import { startEngine } from '../../docker-engine/start-engine.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { OvsSwitches } from '../ovs-switches.js';
import { openSim } from '../sim/sim.js';
import { docker } from './docker-backend.js';

const engineFiles = await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engineFiles ? engineFiles.missing : false;

const node = (name: string): NodePlan => ({
  node: name,
  hosts: [],
  bridges: [
    {
      name: 'br',
      mac: '02:00:00:00:00:01',
      ports: [
        { kind: 'endpoint', name: 'p1', ofport: 1 },
        { kind: 'endpoint', name: 'p2', ofport: 2 },
        { kind: 'internal', name: 'gw', ofport: 3, mac: '02:00:00:00:00:03' },
      ],
      flows: [
        'table=0,in_port=1,ip actions=set_field:02:00:00:00:00:22->eth_dst,ct(commit),output:2',
        'table=0,in_port=2,vlan_tci=0x0000/0x1fff actions=output:3,output:LOCAL',
      ],
    },
  ],
});
const plan: ClusterPlan = { nodes: [node('a'), node('b')] };

const frame = (hex: string) => Uint8Array.from(Buffer.from(hex.padEnd(120, '0'), 'hex'));
const ip = frame('0200000000020200000000010800450000200000000040110000');
const plain = frame('0200000000030200000000020806');

async function playOn(switches: OvsSwitches): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const at of ['a', 'b'])
    for (const [port, sent] of [
      ['p1', ip],
      ['p2', plain],
    ] as const) {
      const [step] = await switches.call([
        { kind: 'receive', node: at, port, frames: [sent, sent] },
      ]);
      for (const output of step?.outputs ?? [])
        seen.push(`${at} ${port} > ${output.port} ${Buffer.from(output.frame).toString('hex')}`);
    }
  for (const { flow, packets, bytes } of await switches.counts())
    seen.push(`${JSON.stringify(flow)} ${packets} ${bytes}`);
  return seen;
}

const links = () => execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' });

void t.test('containers', { skip }, async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  if ('missing' in engineFiles) return;
  const folder = await mkdtemp('/tmp/de-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const started = await startEngine({ image: engineFiles, folder, namespaces: thisPlace });
  t.teardown(() => started.close());
  const host = `unix://${started.socket}`;
  // An engine of a test's own sees its own folder: sockets of switches lie there.
  Object.assign(process.env, { DOCKER_HOST: host, TMPDIR: await mkdtemp(join(folder, 't')) });
  const before = links();
  const engine = await connectEngine();
  const containers = async () =>
    (await engine.client.listContainers({ all: true })).map(({ Names: names }) => names);

  await t.test('an image is made once, and goes when it is of no use', async (t) => {
    const { reference, made } = await nodeImageOf(engine, image);
    t.strictSame([reference, made], [referenceOf(image).reference, 'now']);
    t.strictSame(await nodeImageOf(engine, image), { reference, made: 'before' });
    const other = { ...image, digest: 'of other programs' };
    t.equal((await nodeImageOf(engine, other)).made, 'now');
    t.strictSame(await pruneImages(engine, [image]), [referenceOf(other).reference]);
    t.equal((await nodeImageOf(engine, image)).made, 'before');
  });

  await t.test('frames and counters are those of the sim', async (t) => {
    const [sim, real] = [await openSim(plan, image), await docker.open(plan, image)];
    t.teardown(() => Promise.all([sim.close(), real.close()]));
    const expected = await playOn(sim);
    t.match(expected.join('\n'), /p1 > p2 020000000022/, 'something passes');
    t.strictSame(await playOn(real), expected);
    const [{ Id: id = '' } = {}] = await engine.client.listContainers();
    const { HostConfig: host } = await engine.client.getContainer(id).inspect();
    t.match(host, { Privileged: false, CapAdd: ['NET_ADMIN', 'NET_RAW'], NetworkMode: 'none' });
    t.equal((await containers()).length, 2);
    await real.close();
    t.strictSame([await containers(), links()], [[], before]);
  });

  await t.test('a node that restarts whole is another container', async (t) => {
    const real = await docker.open(plan, image);
    t.teardown(() => real.close());
    const running = async () =>
      (await engine.client.listContainers()).map(({ Id: id, Names: [name] }) => ({ id, name }));
    const were = await running();
    await real.reconfigure({ kind: 'restart', node: 'a', whole: true });
    const after = await running();
    t.strictSame(after.map(({ name }) => name).sort(), were.map(({ name }) => name).sort());
    const stayed = were.filter(({ id }) => after.some((one) => one.id === id));
    t.match(stayed, [{ name: /-b$/ }], 'the other node runs on');
    const played = (await playOn(real)).join('\n');
    t.match(played, /^b p1 > p2/m);
    t.notMatch(played, /^a /m, 'it has no flows');
    await real.close();
    t.strictSame([await containers(), links()], [[], before]);
  });

  await t.test('one that dies is inconclusive, with its log', async (t) => {
    const real = await docker.open(plan, image);
    t.teardown(() => real.close());
    const [{ Id: id = '', Names: [name = ''] = [] } = {}] = await engine.client.listContainers();
    await engine.client.getContainer(id).kill();
    const dies = playOn(real);
    await t.rejects(dies, {
      name: 'Unavailable',
      message: new RegExp(`of node [ab] ended with its container ${name.slice(1)}`),
      evidence: [/\|/],
    });
    await real.close();
    t.strictSame([await containers(), await findLeftContainers(engine)], [[], []]);
  });

  await t.test('what is missing is named', async (t) => {
    const socket = join(await mkdtemp(join(folder, 'none-')), 'd.sock');
    const refused = async (named: string, message: RegExp) => {
      process.env['DOCKER_HOST'] = named;
      await t.rejects(docker.open(plan, image), { name: 'Unavailable', message, remedies: [/./] });
      t.match(await docker.doctor(), [{ kind: 'optional', text: message, remedy: /./ }, {}]);
    };
    await refused(`unix://${socket}`, /no Docker engine answers at/);
    await refused('tcp://127.0.0.1:2375', /engine must run on it/);
    await writeFile(socket, '');
    await chmod(socket, 0);
    await refused(`unix://${socket}`, /no Docker engine answers at/);
    process.env['DOCKER_HOST'] = host;
    await t.rejects(docker.open(plan, { ...image, root: undefined } as never), {
      message: /is no root folder/,
    });
  });
});
