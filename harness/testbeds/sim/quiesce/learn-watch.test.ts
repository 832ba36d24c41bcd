/**
 * Goal: flows that learn are known to be met, or not to be, from what the switch has counted; where
 * that does not show it, they may have been. Method: counters, and what ways depend on, by hand.
 */
import t from 'tap';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { PortPlan } from '../../../domain/plan/port-plan.js';
import type { Unixctl } from '../../../ovs/unixctl.js';
import { programStateOf } from '../observe/program-state.js';
import { noOfctl } from '../testkit/no-ofctl.js';
import { learnWatchOf, learnFlowPacketsIn } from './learn-watch.js';

const learns = 'idle_timeout=0,udp,actions=learn(table=1,hard_timeout=3,NXM_OF_UDP_DST[])';

const bridge = (change: Partial<BridgePlan> = {}): BridgePlan => ({
  name: 'a',
  mac: '02:00:00:00:00:01',
  ports: [],
  flows: [learns.replace('idle_timeout=0,', '')],
  ...change,
});

const cable: PortPlan = {
  kind: 'patch',
  name: 'p',
  ofport: 1,
  peer: { bridge: 'b', port: 'q' },
};

/** The watch of a node with these bridges, and what it sees. */
function learning(...bridges: readonly BridgePlan[]) {
  const state = { asked: 0, met: 0, missed: 0, answered: 0, ways: '' };
  const programs = programStateOf({ node: 'n', hosts: [], bridges }, noOfctl, 'brought back');
  const unixctl: Pick<Unixctl, 'call'> = {
    call: async () => {
      state.asked++;
      return `n_packets=${state.met}, ${learns}`;
    },
  };
  const watch = learnWatchOf(
    {
      plan: () => ({ node: 'n', hosts: [], bridges }),
      lookups: () => ({ hit: 0, missed: state.missed }),
      answered: () => state.answered,
      ways: () => state.ways,
    },
    unixctl as Unixctl,
    programs,
  );
  /** Packets lead to this: how often was the switch asked, and may flows have learned? */
  const seen = async (change: Partial<typeof state>) => {
    await watch.beforePackets();
    Object.assign(state, change);
    await watch.afterPackets();
    return [state.asked, programs.isVolatile()];
  };
  return { state, programs, seen, ...watch };
}

void t.test('packets are counted for flows that learn', (t) => {
  const dumped = [
    'duration=2s, n_packets=4, n_bytes=9, actions=drop',
    `duration=2s, n_packets=3, n_bytes=9, priority=3,${learns},output:1`,
    'duration=2s, n_packets=2, n_bytes=9, actions=clone(learn(table=1))',
  ].join('\n');
  t.equal(learnFlowPacketsIn(dumped), 5);
  t.end();
});

void t.test('from outside, what is translated is counted', async (t) => {
  const { state, programs, seen, ...is } = learning(bridge(), {
    ...bridge(),
    name: 'b',
    flows: ['actions=normal'],
    underlay: { ip: '1.1.1.1', prefixLength: 8, neighbours: [] },
  });
  t.same(await seen({}), [1, false]);
  t.same(await seen({}), [1, false], 'the cache answers');
  t.same(await seen({ missed: 1 }), [2, false], 'another flow is met');
  is.forget();
  Object.assign(state, { met: 7 });
  t.same(await seen({}), [3, false], 'flows are others');
  t.same(await seen({ missed: 2, met: 8 }), [4, true], 'it is met');
  t.same(await seen({ missed: 3, met: 9 }), [4, true], 'once is enough');
  await programs.restore('the same');
  t.same(await seen({}), [5, false], 'all is as it was');
  t.same(await seen({ ways: 'others' }), [5, false], 'they lead out of it alone');
});

void t.test('a controller that the plan does not have sends packets, too', async (t) => {
  const { programs, seen, ...is } = learning(bridge());
  t.same(await seen({ answered: 1 }), [2, false]);
  t.same(await seen({ answered: 2, met: 1 }), [3, true]);
  await programs.restore('the same');
  await is.afterPackets('a controller');
  t.ok(programs.isVolatile(), 'nobody knows what was counted before');
});

void t.test('out of another bridge, as long as no way there changes', async (t) => {
  const { programs, seen } = learning(bridge({ ports: [cable] }));
  t.same(await seen({ missed: 1 }), [2, false], 'as from outside');
  t.same(await seen({ missed: 2, met: 1 }), [3, true], 'it is met');
  await programs.restore('the same');
  t.same(await seen({ missed: 3 }), [5, false]);
  t.same(await seen({ ways: 'others' }), [5, true], 'what is cached may come in now');
});

void t.test('where it is not known, they may have been met', async (t) => {
  for (const unknown of [
    { ports: [{ ...cable, flood: 'never' }] },
    { underlay: { ip: '1.1.1.1', prefixLength: 8, neighbours: [] } },
    { controllers: [{ id: 0, paused: 'resumed' }] },
    { groups: ['group_id=1,type=all,bucket=actions=learn(table=1)'] },
    { flows: ['idle_timeout=3,udp,actions=learn(table=1)'] },
    { flows: ['udp,actions=fin_timeout(idle_timeout=3),learn(table=1)'] },
  ] satisfies readonly Partial<BridgePlan>[])
    t.same(await learning(bridge(unknown)).seen({}), [0, true], JSON.stringify(unknown));
});
