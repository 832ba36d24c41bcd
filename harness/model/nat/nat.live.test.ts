/**
 * Goal: connections that are translated every way go on, and are answered, in the model as in a
 * real Open vSwitch: byte by byte, with what both remember. Method: packets drawn from a seed
 * between few addresses and ports, so that they collide, and answers to what came out; the Ethernet
 * destination draws one of many ways to commit and to translate, in one zone or two. What is open
 * is read from the switch's own table of connections. Flows write ct_state and what the connection
 * began with into the Ethernet addresses of copies. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor, type Random } from '../../base/random.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchState } from '../../domain/switch-state.js';
import { ctStateBits } from '../../openflow/match/fields.js';
import { describeFrame } from '../../packet/dissect/describe-frame.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { pick } from '../testkit/arbitrary-frame.js';
import { firstCandidateOracle, type Oracle } from '../ambiguity.js';
import { answerTo } from '../testkit/arbitrary-answer.js';
import { anySent, framed, type Sent } from '../testkit/arbitrary-traffic.js';

const seed = 47;
const rounds = 40;
const packetsARound = 30;
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');

/**
 * What happens to new connections, `here` the zone; `A` and `B` stand for addresses among those of
 * the packets, `C` for others. Not `ct(commit,nat)`: from 3.3 on Open vSwitch may end itself once
 * such a connection is gone (lib/conntrack.c, conn_clean__).
 */
const ways: readonly string[] = [
  'ct(commit,here,nat(src=A),table=2)',
  'ct(commit,here,nat(src=C),table=2)',
  'ct(commit,here,nat(src=A-B),table=2)',
  'ct(commit,here,nat(dst=A),table=2)',
  'ct(commit,here,nat(dst=A-B),table=2)',
  'ct(commit,here,nat(src=[C]:5000-5001),table=2)',
  'ct(commit,here,nat(dst=[A]:53),table=2)',
  'ct(commit,here,nat(dst=[A]-[B]:53-54,random),table=2)',
  'ct(commit,here,nat(src),table=2)',
  'ct(commit,here,nat(dst),table=2)',
  'ct(commit,here,table=2)',
  'ct(commit,here,nat(src=A-B,persistent),table=2)',
  'ct(commit,here,nat(src=[A]-[B]:7-9,persistent,hash),table=2)',
  'ct(commit,force,here,nat(src=A),table=2)',
  'ct(commit,force,here,table=2)',
  'ct(commit,here,nat(dst=A),table=3)',
  'ct(commit,here,nat(src=C)),set_field:02:00:00:00:00:09->eth_src,output:3',
  'ct(commit,here,nat(dst=C)),ct(commit,zone=8,nat(src=A),table=2)',
  'ct(here,nat,table=2)',
  'ct(here,table=2)',
  'ct(zone=9,nat,table=2)',
  'ct_clear,ct(commit,here,nat(src=A),table=2)',
  'clone(ct(commit,here,nat(src=C)),output:3),output:3',
];

const addresses = {
  ip: { A: '10.0.0.1', B: '10.0.0.2', C: '10.9.9.9' },
  ipv6: { A: 'fd00::1', B: 'fd00::2', C: 'fd99::9' },
} as const;
const zones = [
  ['01', 'zone=5'],
  ['02', 'zone=0'],
  ['81', 'zone=5'],
] as const;
const wayOf = (index: number) => `02:00:00:00:01:${(index + 16).toString(16)}`;

const observed = {
  state:
    'clone(move:NXM_NX_CT_STATE[0..15]->NXM_OF_ETH_DST[0..15],' +
    'move:NXM_NX_CT_MARK[]->NXM_OF_ETH_DST[16..47],' +
    'move:NXM_NX_CT_ZONE[]->NXM_OF_ETH_SRC[0..15],output:3)',
  ip:
    'clone(move:NXM_NX_CT_NW_SRC[]->NXM_OF_ETH_SRC[0..31],' +
    'move:NXM_NX_CT_NW_DST[]->NXM_OF_ETH_DST[0..31],output:3)',
  ipv6:
    'clone(move:NXM_NX_CT_IPV6_SRC[0..47]->NXM_OF_ETH_SRC[],' +
    'move:NXM_NX_CT_IPV6_DST[0..47]->NXM_OF_ETH_DST[],output:3)',
  ports:
    'clone(move:NXM_NX_CT_TP_SRC[]->NXM_OF_ETH_SRC[0..15],' +
    'move:NXM_NX_CT_TP_DST[]->NXM_OF_ETH_DST[0..15],output:3)',
};

/** As ovs-ofctl wants it for the family: brackets for IPv6 with ports alone. */
function way(text: string, family: 'ip' | 'ipv6', zone: string): string {
  return text
    .replaceAll('here', zone)
    .replace(/\[?\b([ABC])\b\]?/g, (whole, letter: 'A' | 'B' | 'C') =>
      whole.startsWith('[') && family === 'ipv6'
        ? `[${addresses.ipv6[letter]}]`
        : addresses[family][letter],
    );
}

/**
 * Before 3.3, what `force` ends stays in the way of what comes later, and may end Open vSwitch:
 * frozen cases and nat.test.ts have what is known of it.
 */
const waysOf = (suite: string) =>
  suite === 'bookworm' ? ways.map((text) => text.replace('force,', '')) : ways;

const flowsOf = (suite: string): readonly string[] =>
  (['ip', 'ipv6'] as const).flatMap((family) => [
    // Answers get what their connection says first; then every way has its turn.
    ...zones.flatMap(([mac, zone]) => [
      `table=0,priority=10,${family},in_port=1,dl_src=02:00:00:00:00:${mac} ` +
        `actions=ct(table=1,${zone})`,
      `table=0,priority=10,${family},in_port=2,dl_src=02:00:00:00:00:${mac} ` +
        `actions=ct(table=1,${zone},nat)`,
      ...waysOf(suite).map(
        (text, index) =>
          `table=1,priority=10,${family},ct_state=-inv,dl_src=02:00:00:00:00:${mac},` +
          `dl_dst=${wayOf(index)} actions=${observed.state},${way(text, family, zone)}`,
      ),
    ]),
    `table=1,priority=5,${family} actions=${observed.state},output:3`,
    ...[6, 17, 132].map(
      (protocol) =>
        `table=2,priority=20,${family},ct_state=+trk-inv,ct_nw_proto=${protocol} ` +
        `actions=${observed.state},${observed[family]},${observed.ports},output:3`,
    ),
    `table=2,priority=10,${family},ct_state=+trk-inv ` +
      `actions=${observed.state},${observed[family]},output:3`,
    `table=2,priority=5,${family} actions=${observed.state},output:3`,
    `table=3,${family},ct_state=-inv ` +
      `actions=${observed.state},ct(commit,zone=6,nat(src=${addresses[family].C}),table=2)`,
  ]);
const planOf = (suite: string): ClusterPlan => ({
  nodes: [
    {
      node: 'n',
      hosts: [],
      bridges: [
        {
          name: 'br',
          mac: '02:00:00:00:00:fe',
          ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
          flows: flowsOf(suite),
        },
      ],
    },
  ],
});

const hex = (frame: Uint8Array) => Buffer.from(frame).toString('hex');
const inOrder = ({ connections }: SwitchState) =>
  connections.map((connection) => JSON.stringify(connection)).sort();

/** A packet, or the answer to one that came out; each to one of the ways. */
function next(
  random: Random,
  earlier: readonly Sent[],
  seen: readonly Uint8Array[],
): { readonly port: string; readonly frame: Uint8Array; readonly sent?: Sent } {
  const towards = (frame: Uint8Array) => {
    if (frame.length >= 14) frame.set([2, 0, 0, 0, 1, random.integer(0, ways.length - 1) + 16], 0);
    return frame;
  };
  const source = seen.length > 0 && random.integer(0, 2) > 0 ? pick(random, seen) : undefined;
  const answer = source === undefined ? undefined : answerTo(random, source);
  if (answer !== undefined) {
    answer.set([2, 0, 0, 0, 0, pick(random, [1, 1, 2])], 6);
    return { port: pick(random, ['p1', 'p2', 'p2', 'p2']), frame: towards(answer) };
  }
  const sent = anySent(random, earlier);
  return {
    port: pick(random, ['p1', 'p1', 'p1', 'p2']),
    frame: towards(framed(random, sent).slice()),
    sent,
  };
}

/** Which 4.0 gives wrong checksums. */
function hasExtensions(frame: Uint8Array): boolean {
  return frame[12] === 0x86 && [0, 51, 60].includes(frame[20] ?? 0);
}

for (const suite of suites) {
  void t.test(`${rounds * packetsARound} packets, ${suite}`, async (t) => {
    t.comment(`seed ${seed}`);
    const plan = planOf(suite);
    const sim = await openSim(plan, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const model = openModel(plan, sim.versions);
    let questions = 0;
    const oracle: Oracle = {
      ...firstCandidateOracle,
      connections: async () => (questions++, (await sim.state()).connections),
    };
    const random = randomFor(seed, 'nat');
    const met = new Map<number, number>();
    for (let round = 0; round < rounds; round++) {
      const [sent, seen]: [Sent[], Uint8Array[]] = [[], []];
      const frames: string[] = [];
      await sim.reset();
      await model.reset();
      for (let index = 0; index < packetsARound; index++) {
        const packet = next(random, sent, seen);
        if (suite === 'sid' && hasExtensions(packet.frame)) continue;
        if (packet.sent !== undefined) sent.push(packet.sent);
        const calls = [
          { kind: 'receive' as const, node: 'n', port: packet.port, frames: [packet.frame] },
        ];
        frames.push(`${packet.port} ${describeFrame(packet.frame)}`);
        const before = inOrder(await model.state());
        const [found] = await sim.call(calls);
        const [expected] = await model.call(calls, oracle);
        seen.push(...(found?.outputs ?? []).map(({ frame }) => frame));
        const outputs = (expected?.outputs ?? []).map(({ frame }) => hex(frame));
        for (const frame of outputs)
          met.set(
            Number.parseInt(frame.slice(8, 12), 16),
            (met.get(Number.parseInt(frame.slice(8, 12), 16)) ?? 0) + 1,
          );
        const got = found?.outputs.map(({ frame }) => hex(frame)) ?? [];
        if (got.join() === outputs.join()) continue;
        t.comment(['remembered before', ...before, ...frames].join('\n'));
        t.strictSame(
          got.map((bytes) => describeFrame(Buffer.from(bytes, 'hex'))),
          outputs.map((bytes) => describeFrame(Buffer.from(bytes, 'hex'))),
          `round ${round}, packet ${index}: ${hex(packet.frame)}`,
        );
        t.strictSame(got, outputs, 'bytes');
        return;
      }
      t.strictSame(
        inOrder(await sim.state()),
        inOrder(await model.state()),
        `connections after round ${round}`,
      );
      if (!t.passing()) return;
    }
    const { trk, est, rpl, snat, dnat, new: fresh } = ctStateBits;
    for (const [name, state] of Object.entries({
      'new, source': fresh | snat,
      'new, destination': fresh | dnat,
      'established, source': est | snat,
      'answers, source': est | rpl | snat,
      'answers, destination': est | rpl | dnat,
    })) {
      const times = met.get(state | trk) ?? 0;
      t.ok(times > 50, `${name}: ${times} times`);
    }
    t.ok(questions > 50, `${questions} choices were open`);
  });
}
