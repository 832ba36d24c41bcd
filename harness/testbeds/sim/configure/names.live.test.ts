/**
 * Goal: whatever nodes, bridges and ports are called, real switches carry their frames, or the name
 * is refused with the place where it stands; and nothing is made outside of the folder for it.
 * Method: names that lead out of folders, that shells, programs and terminals take for something
 * else, that are too long; every file below the folder above TMPDIR is listed while the switches
 * are up and afterwards.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { openImage } from '../../../../images/images.js';
import { onOneLine } from '../../../base/text/visible.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import { portNumbers } from '../../../openflow/bridge-program.js';
import { parseFlows, printFlow } from '../../../openflow/flows/flow.js';
import { noNames } from '../../../openflow/syntax/form.js';
import { encodeEthernet } from '../../../packet/protocols/link/ethernet.js';
import { checkNames } from './check-names.js';
import { openSim } from '../sim.js';

const outer = await mkdtemp('/tmp/fn-');
t.teardown(() => rm(outer, { recursive: true }));
process.env['TMPDIR'] = `${outer}/a/b`;
await mkdir(process.env['TMPDIR'], { recursive: true });
const image = await openImage('trixie', (line) => t.comment(line));

/** From a folder of a node they lead out of TMPDIR. */
const outside = ['../../../esc', '..', '../esc', `${outer}/esc`];
const odd = [
  'a/b',
  '$(touch${IFS}x)',
  `q'"q`,
  '`id`',
  'ünï😀',
  '-rf',
  '--help',
  'x'.repeat(300),
  '\u202exe',
  'a;b|c&d',
  '*',
  '%2F',
  '~',
  'a=b,c',
  'LOCAL',
  'NORMAL',
  '1',
  'empty.db',
];
const blank = ['', 'a b', '$(touch x)', 'a\nb', 'a\tb', '\x1b[2J', 'a\0b', '\ud800', '\u2028'];

const frame = encodeEthernet(
  { dst: '0a:00:00:00:00:02', src: '0a:00:00:00:00:01', etherType: 0x88b5 },
  new Uint8Array(50),
);
const planOf = (node: string, bridge: string, port: string): NodePlan => ({
  node,
  hosts: [],
  bridges: [
    {
      name: bridge,
      mac: '02:00:00:00:00:fe',
      flows: ['in_port=4 actions=output:5'],
      ports: [
        { kind: 'endpoint', name: port, ofport: 4 },
        { kind: 'endpoint', name: 'out', ofport: 5 },
      ],
    },
  ],
});

/**
 * Brings up a switch a plan, and carries a frame through each; nothing is made outside of the
 * workspace, which goes with it.
 */
async function carry(t: Test, plans: readonly NodePlan[]): Promise<void> {
  const sim = await openSim({ nodes: plans }, image);
  try {
    const steps = await sim.call(
      plans.map(({ node, bridges: [bridge] }) => ({
        kind: 'receive' as const,
        node,
        port: bridge?.ports[0]?.name ?? '',
        frames: [frame],
      })),
    );
    const without = plans.filter(
      (_, index) => steps[index]?.outputs.map(({ port }) => port).join() !== 'out',
    );
    t.same(
      without.map(({ node, bridges: [bridge] }) => [node, bridge?.name, bridge?.ports[0]?.name]),
      [],
      'each lets the frame out',
    );
    t.same(await filesOutside(), []);
  } finally {
    await sim.close();
  }
  t.same(await readdir(outer, { recursive: true }), ['a', 'a/b']);
}

async function filesOutside(): Promise<readonly string[]> {
  return (await readdir(outer, { recursive: true })).filter(
    (file) => file !== 'a' && file !== 'a/b' && !/^a\/b\/flowbed-[^/]+(\/|$)/.test(file),
  );
}

void t.test('nodes and ports of any name that is no blank', async (t) => {
  const names = [...outside, ...odd];
  await carry(
    t,
    names.map((name) => planOf(name, 'br0', name)),
  );
});

void t.test('bridges, whose sockets Open vSwitch names', async (t) => {
  const taken = [...outside, ...odd].filter((name) => !/[/\\]/.test(name) && name.length < 300);
  await carry(
    t,
    taken.map((name, index) => planOf(`n${index}`, name, 'in')),
  );
  for (const name of [...outside, ...odd].filter((each) => !taken.includes(each))) {
    await t.rejects(
      openSim({ nodes: [planOf('n', name, 'in')] }, image),
      {
        name: 'InputError',
        message:
          /^bridge ".*": (Open vSwitch takes no bridge with|its name is too long by \d+ bytes)/,
      },
      name,
    );
  }
  t.same(await filesOutside(), []);
});

void t.test('blanks and controls are refused before a switch comes up', async (t) => {
  for (const name of blank) {
    await t.rejects(
      openSim({ nodes: [planOf('n', 'br0', name)] }, image),
      { name: 'InputError', message: /^node "n": bridge br0: port / },
      onOneLine(JSON.stringify(name)),
    );
    await t.rejects(
      openSim({ nodes: [planOf('n', name, 'in')] }, image),
      { name: 'InputError', message: /bridge / },
      onOneLine(JSON.stringify(name)),
    );
    t.doesNotThrow(() => {
      checkNames(planOf(name, 'br0', 'in'), '/run');
    }, 'a node is no word of any answer');
  }
  await carry(
    t,
    blank.map((name) => planOf(name, 'br0', 'in')),
  );
});

void t.test('ports that are called like numbers and reserved ports', async (t) => {
  const names = ['2', 'NORMAL', 'local', '7up'];
  const bridge: BridgePlan = {
    name: 'br0',
    mac: '02:00:00:00:00:fe',
    flows: [],
    ports: names.map((name, index) => ({ kind: 'endpoint', name, ofport: index + 1 })),
  };
  const ambiguous = ['2', '"2"', 'NORMAL', '"NORMAL"', 'local', '"local"', '"7up"'].map(
    (port, index) => `priority=${index + 1} actions=output:${port}`,
  );
  const sim = await openSim({ nodes: [{ node: 'n', hosts: [], bridges: [bridge] }] }, image);
  t.teardown(() => sim.close());
  for (const flow of ambiguous)
    await sim.ofctl('n', 'br0', 'add-flow', '--names', flow.replace(' ', ','));
  const switched = (await sim.dumpFlows('n', 'br0'))
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/priority=(\d) actions=(.*)/g)].map(
        ([, priority, actions]) => `${priority}: ${actions}`,
      ),
    )
    .sort();
  const read = parseFlows(ambiguous.join('\n'), 'flows', {
    ...noNames,
    ports: portNumbers(bridge),
  });
  t.same(
    read
      .map((flow) => printFlow(flow))
      .map((text) => text.replace(/.*priority=(\d) ?.*actions=(.*)/, '$1: $2'))
      .sort(),
    switched,
  );
});

void t.test(
  'a node of a name that was there may come again beside one that is called so',
  async (t) => {
    const sim = await openSim(
      {
        nodes: [
          planOf('n', 'br0', 'in'),
          planOf('n.left-1', 'br0', 'in'),
          planOf('n~left-1', 'br0', 'in'),
        ],
      },
      image,
    );
    t.teardown(() => sim.close());
    for (const name of ['n', 'n']) {
      await sim.reconfigure({ kind: 'leave', node: name });
      await sim.reconfigure({ kind: 'join', node: name, plan: planOf(name, 'br0', 'in') });
    }
    t.same([...sim.daemons.keys()].sort(), ['n', 'n.left-1', 'n~left-1']);
  },
);
