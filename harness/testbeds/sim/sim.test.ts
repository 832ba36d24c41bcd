/**
 * Goal: what the sim reads from sockets and from the daemons' answers means what it takes it to
 * mean. Method: random frames through the inverse of their encoding, cut anywhere; answers as OVS
 * 3.5.0 gives them.
 */
import fc from 'fast-check';
import t from 'tap';
import type { Unixctl } from '../../ovs/unixctl.js';
import { Unavailable } from '../../base/errors/errors.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { formatFlowId } from '../../domain/switching.js';
import { until } from '../../base/concurrency/until.js';
import {
  disagreements,
  parseCachedFlows,
  parseLookups,
  parsePortCounters,
} from './quiesce/conservation.js';
import { countsSince, flowCounter } from './observe/flow-counts.js';
import { neighboursOf, type Neighbours } from './quiesce/native-tunnel-neighbours.js';
import { frameSplitter } from './traffic/frame-socket.js';
import { programStateOf } from './observe/program-state.js';
import { noOfctl } from './testkit/no-ofctl.js';

/** Each command is answered by itself. */
function unixctlBy(call: Unixctl['call']): Unixctl {
  return {
    call,
    callEach: (commands) => Promise.all(commands.map((command) => call(...command))),
    close: () => undefined,
  };
}

void t.test('frames come back from a stream cut anywhere', async (t) => {
  const frames = fc.array(fc.uint8Array({ minLength: 14, maxLength: 300 }), { maxLength: 5 });
  const property = fc.property(frames, fc.array(fc.nat(1600), { maxLength: 8 }), (frames, cuts) => {
    const stream = Buffer.concat(
      frames.flatMap((frame) => [Uint8Array.of(frame.length >> 8, frame.length & 0xff), frame]),
    );
    const edges = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
    const split = frameSplitter(2);
    const found = edges.slice(1).flatMap((end, index) => split(stream.subarray(edges[index], end)));
    return JSON.stringify(found) === JSON.stringify(frames);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }));
});

const show = `system@ovs-system:
  lookups: hit:3 missed:8 lost:0
  flows: 8
  port 4: antrea-gw0 (dummy-internal: stream=unix:/tmp/n1/gw0.s)
    RX packets:1 errors:? dropped:? overruns:? frame:?
    TX packets:2 errors:? dropped:? aborted:? carrier:?
    collisions:?
    RX bytes:42  TX bytes:84
    UPCALL packets:? errors:?
  port 6081: genev_sys_6081 (geneve: packet_type=ptap)
    RX packets:0 errors:? dropped:? overruns:? frame:?
    TX packets:0 errors:? dropped:? aborted:? carrier:?
    collisions:?
    RX bytes:0  TX bytes:0
`;

void t.test('conservation', async (t) => {
  const counters = parsePortCounters(show);
  t.strictSame(
    [...counters],
    [
      ['antrea-gw0', { received: 1, sent: 2 }],
      ['genev_sys_6081', { received: 0, sent: 0 }],
    ],
  );
  t.strictSame(parseLookups(show), { hit: 3, missed: 8 });
  t.equal(parseCachedFlows(show), 8);
  for (const parse of [parseLookups, parseCachedFlows])
    t.throws(() => parse('no datapath'), { name: 'Unavailable', message: /no datapath/ });
  t.strictSame(disagreements([{ port: 'antrea-gw0', written: 1, read: 2 }], counters), []);
  t.strictSame(
    disagreements(
      [
        { port: 'antrea-gw0', written: 3, read: 1 },
        { port: 'p1', written: 0, read: 0 },
      ],
      counters,
    ),
    [
      'port antrea-gw0: 3 frames written, the switch counts 1 received',
      'port antrea-gw0: the switch counts 2 frames sent, 1 arrived',
      'port p1: gone from the datapath',
    ],
  );
});

void t.test('giving up names what is missing', async (t) => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await t.rejects(
    until('node a to be quiescent', 20, async () => {
      await turn();
      return ['port p1: 1 frame missing'];
    }),
    {
      name: 'Unavailable',
      message: 'gave up after 0.02 s waiting for node a to be quiescent; port p1: 1 frame missing',
    },
  );
});

void t.test('who ends meanwhile is the reason, and not what was missing before', async (t) => {
  const answers = [
    () => Promise.resolve(['port p1: 1 frame missing']),
    () => Promise.reject(new Unavailable('a was ended by SIGKILL')),
  ];
  await t.rejects(
    until('node a to be quiescent', 1000, () => answers.shift()?.() ?? Promise.resolve([])),
    { name: 'Unavailable', message: /^a was ended by SIGKILL$/ },
  );
});

const dump = (
  packets: number,
) => `duration=2s, n_packets=${packets}, n_bytes=42, priority=200,in_port=2,actions=load:0x1->NXM_NX_REG0[0..15],resubmit(,10)
table_id=10, duration=2s, n_packets=1, n_bytes=42, priority=0,actions=drop
duration=165s, n_packets=0, n_bytes=0, ip,actions=drop
table_id=254, duration=165s, n_packets=7, n_bytes=0, priority=0,reg0=0x1,actions=controller(reason=)
`;

void t.test('counts', async (t) => {
  const read = flowCounter('a', 'br-int');
  const counted = (packets: number) => countsSince(read(dump(5)), read(dump(packets)));
  t.strictSame(
    counted(8).map(
      ({ flow, packets }) => `${flow.node} ${flow.bridge} ${formatFlowId(flow)}: ${packets}`,
    ),
    [
      'a br-int table=0, priority=200,in_port=2: 3',
      'a br-int table=10, priority=0: 0',
      'a br-int table=0, priority=32768,ip: 0',
    ],
  );
  t.strictSame(
    counted(8).map(({ bytes }) => bytes),
    [0, 0, 0],
  );
  t.equal(countsSince([], read(dump(5)))[0]?.bytes, 42, 'a flow that is new');
  t.equal(counted(4)[0]?.packets, -1, 'one that was replaced meanwhile counts less');
});

void t.test('what flows and groups can do is forgotten once they are deleted', (t) => {
  const bridge = (name: string, flows: readonly string[]) => ({
    name,
    mac: '02:00:00:00:00:01',
    ports: [],
    flows,
  });
  const programs = programStateOf(
    {
      node: 'n',
      hosts: [],
      bridges: [bridge('a', ['actions=learn(table=1)']), bridge('b', ['actions=drop'])],
    },
    noOfctl,
    'brought back',
  );
  const traits = () => [
    programs.learns(),
    programs.isVolatile(),
    programs.isTimed(),
    programs.meters('a'),
  ];
  t.same(traits(), [true, false, true, false], 'packets have not met what learns');
  programs.noteLearnHit();
  t.same(traits(), [true, true, true, false]);
  programs.noteApplied('b', ['flow delete', 'group delete']);
  t.same(traits(), [true, true, true, false], 'on another bridge');
  programs.noteApplied('a', ['flow delete table=1', 'flow add actions=drop']);
  t.same(traits(), [true, true, true, false], 'not all');
  programs.noteApplied('a', ['flow delete', 'flow add idle_timeout=3,actions=normal']);
  t.same(traits(), [false, true, true, false]);
  programs.noteChange('a', ['group add group_id=1,type=all,bucket=meter:1']);
  programs.noteApplied('a', ['flow delete', 'flow add actions=normal']);
  t.same(traits(), [false, false, true, true], 'groups are still there');
  programs.metersRenewed('a');
  t.same(traits(), [false, false, true, true], 'and go on to meter');
  programs.noteApplied('a', ['group delete']);
  t.same(traits(), [false, false, true, true], 'what they metered still counts');
  programs.metersRenewed('a');
  t.same(traits(), [false, false, true, false]);
  t.end();
});

void t.test(
  'what a change of neighbours leads to is waited for, and nothing where there was none',
  async (t) => {
    const state = { shown: 'a\nb', calls: [] as string[] };
    const call = async (...words: readonly string[]) => {
      state.calls.push(words.join(' '));
      return words[0] === 'tnl/neigh/show' ? state.shown : '';
    };
    const underlay: BridgePlan = {
      name: 'u',
      mac: '02:00:00:00:00:02',
      ports: [],
      flows: [],
      underlay: {
        ip: '1.1.1.1',
        prefixLength: 8,
        neighbours: [{ ip: '1.1.1.2', mac: '02:00:00:00:00:03' }],
      },
    };
    const tunnels: BridgePlan = {
      name: 't',
      mac: '02:00:00:00:00:01',
      ports: [{ kind: 'tunnel', name: 'tun', ofport: 1, tunnel: 'geneve' }],
      flows: [],
    };
    /** A round ends with a look, which may lead to `asked`. */
    const neighboursWith = (bridges: readonly BridgePlan[], asked = () => undefined as unknown) => {
      const neighbours: Neighbours = neighboursOf(
        () => ({ node: 'n', hosts: [], bridges }),
        unixctlBy(call),
        async () => {
          state.calls.push('round');
          asked();
          await neighbours.query();
        },
      );
      return {
        ...neighbours,
        revalidateIfChanged: () => neighbours.query().then(neighbours.revalidateIfChanged),
      };
    };
    const seen = async (work: Promise<void>) => {
      await work;
      return state.calls.splice(0);
    };
    const [show, flush, set] = [
      'tnl/neigh/show',
      'tnl/neigh/flush',
      'tnl/neigh/set u 1.1.1.2 02:00:00:00:00:03',
    ];
    const neighbours = neighboursWith([tunnels, underlay]);
    t.same(await seen(neighbours.restore()), [flush, set], 'it is not known who is known');
    t.same(await seen(neighbours.revalidateIfChanged()), [show, 'round', show]);
    t.same(await seen(neighbours.restore()), [set], 'they are as planned');
    state.shown = 'b\na';
    t.same(await seen(neighbours.revalidateIfChanged()), [show], 'the order means nothing');
    t.same(await seen(neighbours.refresh()), [set]);
    state.shown = 'a\nb\nc';
    t.same(await seen(neighbours.revalidateIfChanged()), [show, 'round', show], 'one more');
    t.same(await seen(neighbours.restore()), [flush, set]);
    state.shown = 'a\nb';
    t.same(await seen(neighbours.revalidateIfChanged()), [show, 'round', show]);
    t.same(await seen(neighbours.restore()), [set]);
    t.same(await seen(neighbours.quiesce()), ['round', show], 'something else has changed');
    state.shown = 'a\nb\nc INCOMPLETE';
    t.same(await seen(neighbours.quiesce()), ['round', show]);
    t.same(
      await seen(neighbours.revalidateIfChanged()),
      [show, 'round', show],
      'who is asked for may have been asked for again',
    );
    t.same(await seen(neighbours.restore()), [flush, set], 'and is known of');
    state.shown = 'a\nb';
    await seen(neighbours.revalidateIfChanged());
    const asking = neighboursWith([tunnels, underlay], () => {
      state.shown = 'a\nb\nc INCOMPLETE';
    });
    await asking.restore();
    await asking.revalidateIfChanged();
    state.calls.length = 0;
    t.same(
      await seen(asking.restore()),
      [flush, set],
      'who was asked for in the round is not left over',
    );
    state.calls.length = 0;
    for (const bridges of [[tunnels], [underlay]]) {
      const other = neighboursWith(bridges);
      t.same(await seen(other.revalidateIfChanged()), [], 'nobody is asked for');
      t.same(await seen(other.quiesce()), []);
      t.notOk((await seen(other.restore())).includes(flush));
    }
  },
);

void t.test(
  'what bridges held is brought back where it may be otherwise, and only there',
  async (t) => {
    const restored = async (
      flows: string,
      work: (programs: ReturnType<typeof programStateOf>) => void = () => undefined,
      groups = '',
    ) => {
      const bundles: (readonly string[])[] = [];
      const ofctl = {
        ...noOfctl,
        bundle: async (_: string, lines: readonly string[]) => void bundles.push(lines),
        dump: async () => [
          { flows: flows.split('\n'), groups: groups === '' ? [] : [groups], meters: [] },
        ],
        addOpenflow10: () => Promise.resolve(),
      };
      const programs = programStateOf(
        {
          node: 'n',
          hosts: [],
          bridges: [{ name: 'a', mac: '02:00:00:00:00:01', ports: [], flows: flows.split('\n') }],
        },
        ofctl,
        'brought back',
      );
      t.equal(await programs.restore('others'), false, 'nothing was kept');
      await programs.save();
      work(programs);
      const results = [
        await programs.restore('the same'),
        await programs.restore('the same'),
        await programs.restore('others'),
      ];
      t.equal(
        bundles.length,
        2 * results.filter((is) => is).length,
        'each time what is there goes, and what was there comes',
      );
      return results;
    };
    const learns = 'ip actions=clone(learn(table=7,priority=9,eth_type=0x800,NXM_OF_IP_DST[]))';
    t.strictSame(await restored(learns), [false, false, true]);
    t.strictSame(
      await restored(`${learns}\ntable=7,priority=8 actions=drop\ntable=6,priority=9 actions=drop`),
      [false, false, true],
    );
    t.strictSame(
      await restored(`${learns}\ntable=7,priority=9,tcp actions=drop`),
      [true, true, true],
      'it may be learned over',
    );
    t.strictSame(
      await restored(
        'table=7,priority=9 actions=drop',
        undefined,
        `group_id=1,type=all,bucket=actions=learn(table=7,priority=9,in_port=1)`,
      ),
      [true, true, true],
    );
    t.strictSame(await restored('idle_timeout=3 actions=drop'), [true, true, true]);
    t.strictSame(await restored('hard_timeout=3 actions=drop'), [true, true, true]);
    t.strictSame(await restored('tcp actions=fin_timeout(idle_timeout=3)'), [true, true, true]);
    t.strictSame(
      await restored('actions=drop', (programs) => {
        programs.noteChange('a', ['flow add table=1,actions=drop']);
      }),
      [true, false, true],
    );
    t.strictSame(
      await restored('actions=drop', (programs) => {
        programs.discardSaved();
      }),
      [false, false, false],
    );
  },
);
