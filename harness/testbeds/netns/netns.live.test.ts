/**
 * Goal: a cluster of network namespaces does what the model says, a fault in one of its switches
 * shows, and nothing of it is left. Method: antrea/encap on it, once as it is, with the trace hash
 * of the sim, and once with a MAC address that a flow writes wrongly; then links, addresses and
 * processes are counted.
 */
import { execFileSync } from 'node:child_process';
import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { OvsSwitches } from '../ovs-switches.js';
import { openSim } from '../sim/sim.js';
import { renamedPlan } from '../kernel/device-names.js';
import { netnsUserspace } from './netns-backend.js';

const image = await openImage('trixie', (line) => t.comment(line));
const lacks = process.getuid?.() === 0 ? false : 'not root';

/** Two pods on a bridge, one of them behind a rewrite of its address; a learned answer. */
const plan: ClusterPlan = {
  nodes: [
    {
      node: 'a',
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
            'table=0,priority=2,in_port=1,ip actions=set_field:02:00:00:00:00:22->eth_dst,output:2',
            'table=0,priority=2,in_port=2,vlan_tci=0x0000/0x1fff actions=output:3,output:LOCAL',
            'table=0,priority=2,in_port=2,dl_vlan=7 actions=output:1,strip_vlan,output:3',
            'table=0,priority=1,in_port=3 actions=output:1',
          ],
        },
      ],
    },
  ],
};

const frame = (hex: string) => Uint8Array.from(Buffer.from(hex.padEnd(120, '0'), 'hex'));
const ip = frame('020000000002020000000001080045000020000000004011');
const tagged = frame('02000000000102000000000281000007080045000020');
const plain = frame('0200000000030200000000020806');

async function playOn(
  switches: OvsSwitches,
  rename = (port: string) => port,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const [port, sent] of [
    ['p1', ip],
    ['p2', tagged],
    ['p2', plain],
    ['gw', plain],
    ['p1', ip],
  ] as const) {
    const [step] = await switches.call([
      { kind: 'receive', node: 'a', port: rename(port), frames: [sent, sent] },
    ]);
    seen.push(
      ...(step?.outputs ?? []).map(
        (output) => `${rename(port)} > ${output.port} ${Buffer.from(output.frame).toString('hex')}`,
      ),
    );
  }
  for (const { flow, packets, bytes } of await switches.counts())
    seen.push(`${JSON.stringify(flow)} ${packets} ${bytes}`);
  return seen;
}

void t.test('frames, tags and counters are those of the sim', { skip: lacks }, async (t) => {
  const [sim, real] = [await openSim(plan, image), await netnsUserspace.open(plan, image)];
  t.teardown(() => Promise.all([sim.close(), real.close()]));
  const expected = await playOn(sim);
  t.match(expected.join('\n'), /p2 > p1 \w{24}8100/, 'a tag comes through');
  t.strictSame(await playOn(real), expected);
});

void t.test('a link that is down is seen by the switch', { skip: lacks }, async (t) => {
  const real = await netnsUserspace.open(plan, image);
  t.teardown(() => real.close());
  const outputs = async () => {
    const [step] = await real.call([{ kind: 'receive', node: 'a', port: 'p1', frames: [ip] }]);
    return step?.outputs.map(({ port }) => port);
  };
  t.strictSame(await outputs(), ['p2']);
  await real.call([{ kind: 'link', node: 'a', port: 'p2', state: 'down' }]);
  t.strictSame(await outputs(), []);
  await real.call([{ kind: 'link', node: 'a', port: 'p2', state: 'up' }]);
  t.strictSame(await outputs(), ['p2']);
});

/** What of namespaces this machine shows: links, rules, named namespaces, who holds some. */
function machine(): readonly string[] {
  return [
    execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' }).replaceAll(/state \w+/g, ''),
    execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }),
    execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' }),
  ];
}

void t.test('nothing is left of it', { skip: lacks }, async (t) => {
  const before = machine();
  const real = await netnsUserspace.open(plan, image);
  const [{ vswitchd } = { vswitchd: 0 }] = real.daemons.values();
  const namespace = execFileSync('readlink', [`/proc/${vswitchd}/ns/net`], { encoding: 'utf8' });
  const inside = () =>
    execFileSync('lsns', ['-t', 'net', '-n', '-o', 'NS'], { encoding: 'utf8' }).includes(
      /\d+/.exec(namespace)?.[0] ?? '?',
    );
  t.ok(inside(), 'while it runs there is a namespace');
  deepStrictEqual(machine(), before, 'links of nodes are theirs alone');
  await real.close();
  t.notOk(inside(), 'then there is none');
  t.strictSame(machine(), before);
});

void t.test(
  'ports of long names are at devices, bridges are refused',
  { skip: lacks },
  async (t) => {
    const [first] = plan.nodes;
    const long: Readonly<Record<string, string>> = {
      p1: 'p1/of-a-long-name',
      p2: 'p2'.repeat(8),
    };
    const rename = (name: string) => long[name] ?? name;
    const named = renamedPlan(plan, rename);
    const [sim, real] = [await openSim(plan, image), await netnsUserspace.open(named, image)];
    t.teardown(() => Promise.all([sim.close(), real.close()]));
    const expected = (await playOn(sim)).map((line) => line.replaceAll(/\bp[12]\b/g, rename));
    t.strictSame(await playOn(real, rename), expected);
    const bridges = [{ name: 'b'.repeat(16), mac: '02:00:00:00:00:01', ports: [], flows: [] }];
    await t.rejects(
      netnsUserspace.open({ nodes: [{ node: 'a', hosts: first?.hosts ?? [], bridges }] }, image),
      { message: /port "b{16}": on a real kernel a device's name has at most 15 bytes/ },
    );
  },
);
