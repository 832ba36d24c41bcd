/**
 * Goal: a reset leaves nothing of what was done before it, on nodes that something was done to and
 * on others; nor does a call that is refused. Method: frames, changes of flows and time for one of
 * two nodes, then a reset; what is counted and remembered is held to that of a model in which
 * nothing was done yet. Time in which a switch may end itself, behind which other time is refused
 * for the same reason.
 */
import t from 'tap';
import { Unsupported } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import { encodeEthernet } from '../../packet/protocols/link/ethernet.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import { openModel } from './model-testbed.js';

const plan: ClusterPlan = {
  nodes: ['n1', 'n2'].map((node, index) => ({
    node,
    hosts: [],
    bridges: [
      {
        name: `br-${node}`,
        mac: `02:00:00:00:00:0${index + 1}`,
        flows: ['in_port=1 actions=NORMAL', 'in_port=2 idle_timeout=5 actions=drop'],
        ports: [1, 2].map((ofport) => ({
          kind: 'endpoint' as const,
          name: `${node}-${ofport}`,
          ofport,
        })),
      },
    ],
  })),
};
const frame = encodeEthernet(
  { src: '02:00:00:00:00:0a', dst: '02:00:00:00:00:0b', etherType: 0x88b5 },
  new Uint8Array(46),
);

const into = (node: string): SwitchCall => ({
  kind: 'receive',
  node,
  port: `${node}-1`,
  frames: [frame, frame],
});
const done: Readonly<Record<string, SwitchCall>> = {
  frames: into('n1'),
  'a flow more': {
    kind: 'change',
    node: 'n1',
    bridge: 'br-n1',
    lines: ['flow add priority=7,in_port=1 actions=drop'],
  },
  'a flow less': { kind: 'change', node: 'n1', bridge: 'br-n1', lines: ['flow delete in_port=1'] },
  'time, in which a flow expires': { kind: 'advance', node: 'n1', ms: 6000 },
  'a link that is down': { kind: 'link', node: 'n1', port: 'n1-2', state: 'down' },
};

void t.test('after a reset it is as if nothing had been done', async (t) => {
  const model = openModel(plan);
  const counted = async () =>
    (await model.counts())
      .map(({ flow, packets }) => `${flow.node} ${flow.match}: ${packets}`)
      .sort();
  const observe = async () => ({
    counted: await counted(),
    ...(await model.state()),
    traces: model.traces().length,
  });
  const fresh = await observe();
  t.strictSame(fresh.counted, [
    'n1 in_port=1: 0',
    'n1 in_port=2: 0',
    'n2 in_port=1: 0',
    'n2 in_port=2: 0',
  ]);
  const [first] = await model.call([into('n1')]);
  t.strictSame(
    first?.outputs.map(({ port }) => port),
    ['br-n1', 'n1-2', 'br-n1', 'n1-2'],
  );
  for (const [what, call] of Object.entries(done)) {
    await model.call([call]);
    t.not(
      JSON.stringify([await observe(), (await model.call([into('n1')]))[0]]),
      JSON.stringify([fresh, first]),
      `${what}: seen before the reset`,
    );
    await model.reset();
    t.strictSame(await observe(), fresh, `${what}: gone with it`);
    await model.call([into('n2')]);
    t.strictSame(
      await counted(),
      ['n1 in_port=1: 0', 'n1 in_port=2: 0', 'n2 in_port=1: 2', 'n2 in_port=2: 0'],
      'what the other node counts',
    );
    t.strictSame(
      (await model.state()).macs.map(({ node }) => node),
      ['n2'],
      'and learns',
    );
    await model.reset();
    t.strictSame((await model.call([into('n1')]))[0], first, `${what}: frames leave as at first`);
    t.strictSame(await counted(), [
      'n1 in_port=1: 2',
      'n1 in_port=2: 0',
      'n2 in_port=1: 0',
      'n2 in_port=2: 0',
    ]);
    await model.reset();
    t.strictSame(await observe(), fresh);
  }
});

void t.test('what is refused has done nothing', async (t) => {
  const learner =
    'idle_timeout=5,in_port=1 actions=learn(table=4,hard_timeout=2,delete_learned,' +
    'NXM_OF_ETH_SRC[],output:NXM_OF_IN_PORT[]),output:2';
  const model = openModel({
    nodes: plan.nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) => ({ ...bridge, flows: [learner] })),
    })),
  });
  const observe = async () =>
    JSON.stringify([
      await model.counts(),
      await model.program(),
      await model.state(),
      model.traces().length,
      model.dumpFlows('n1', 'br-n1').map(({ statistics }) => statistics?.packets.toString()),
    ]);
  await model.call([into('n1')]);
  const before = await observe();
  const later = (ms: number): SwitchCall => ({ kind: 'advance', node: 'n1', ms });
  await t.rejects(
    model.call([into('n1'), later(31_000)]),
    Unsupported,
    'a flow expires at once with what it learned',
  );
  t.equal(await observe(), before);
  await t.rejects(
    model.call([later(31_000)]),
    Unsupported,
    'as it would have without the first attempt',
  );
  await model.call([later(3000)]);
  await model.call([later(3000)]);
  t.strictSame(
    (await model.program(new Set(['n1'])))[0]?.flows,
    [],
    'one after the other, they may',
  );
});

void t.test('what nobody can decide has done nothing either', async (t) => {
  const model = openModel({
    nodes: plan.nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) => ({
        ...bridge,
        flows: [
          'table=0,actions=mod_vlan_vid:7,goto_table:1',
          'table=1,priority=5,in_port=1,actions=drop',
          'table=1,priority=5,vlan_tci=0x1007,actions=2',
        ],
      })),
    })),
  });
  const observe = async () => JSON.stringify([await model.counts(), model.traces().length]);
  const before = await observe();
  await t.rejects(
    model.call([into('n1')], {
      ...firstCandidateOracle,
      flowCounts: () => Promise.reject(new Unsupported('nobody knows')),
    }),
    { message: 'nobody knows' },
  );
  t.equal(await observe(), before);
});
