/**
 * Goal: where time passes, flows change, links go down and connections are forgotten between
 * packets, model and switch do the same, and the fuzzer sees it where they do not. Method: a short
 * run of one seed; and a case that has all of it, with a model that misses one kind of operation,
 * for each kind. SEED=n COUNT=n for another run, SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import type { SwitchCall } from '../domain/switching.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { runCampaign } from './campaign.js';
import type { CaseStep, FuzzCase, OperationStep } from './fuzz-case.js';
import type { FuzzAspect } from './fuzz-finding.js';
import { drawSequence } from './generate/draw-sequence.js';
import { judgeCase } from './judge-case.js';
import { type Sides } from './case-judgement.js';
import { openSides } from './open-sides.js';
import { withinOneNode } from './within-one-node.js';
import { deltaDebug } from '../search/delta-debug.js';

const seed = Number(process.env['SEED'] ?? 1);
const count = Number(process.env['COUNT'] ?? 120);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');

async function withSides(suite: string, work: (sides: Sides) => Promise<void>): Promise<void> {
  const sides = await openSides(await openImage(suite, (line) => t.comment(line)));
  try {
    await work(sides);
  } finally {
    await sides.close();
  }
}

for (const suite of suites) {
  void t.test(`model and switch do the same over a sequence, on ${suite}`, async (t) => {
    await withSides(suite, async (sides) => {
      const { findings, sent, gone } = await runCampaign([sides], {
        draw: drawSequence,
        seed,
        count,
        onProgress: () => undefined,
      });
      t.same([findings, gone], [[], undefined]);
      t.ok(sent >= count, `${sent} packets`);
    });
  });
}

void t.test('the same where nothing is cached, and no controller listens', async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  const sides = await openSides(image, { without: 'controllers and what is cached' });
  t.teardown(() => sides.close());
  const draw = withinOneNode(drawSequence);
  const played = { draw, seed, count, onProgress: () => undefined };
  const { findings, gone } = await runCampaign([sides], played);
  t.same([findings, gone], [[], undefined]);
  t.equal((await sides.sim('one node')).lookups().hit, 0, 'no packet met the cache');
});

const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
const datagram = encodeEthernet(
  { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 },
  encodeIpv4(
    { ...addresses, ttl: 64, protocol: ipProtocols.udp },
    encodeUdp({ srcPort: 4000, dstPort: 53 }, Uint8Array.of(1), addresses),
  ),
);
const packet: CaseStep = { kind: 'packet', port: '1', frame: datagram };

const whole: FuzzCase = {
  groups: [],
  beyond: [],
  flows: [
    'table=0,priority=1,ip actions=ct(table=1,zone=1)',
    'table=0,priority=0 actions=drop',
    'table=1,priority=2,ct_state=+trk+new,ip actions=ct(commit,zone=1),output:2',
    'table=1,priority=1,ip actions=output:3',
  ],
  steps: [
    packet,
    packet,
    { kind: 'link', port: '2', state: 'down' },
    packet,
    { kind: 'link', port: '2', state: 'up' },
    { kind: 'advance', ms: 5000 },
    { kind: 'flush', zone: 1 },
    packet,
    { kind: 'change', bridge: 'br0', lines: ['flow add table=0,priority=7,arp actions=output:4'] },
    packet,
  ],
};

/** A model to which nothing of the kind happens. */
function without(sides: Sides, kind: OperationStep['kind']): Sides {
  return {
    ...sides,
    openModel: (plan) => {
      const model = sides.openModel(plan);
      return {
        ...model,
        call: async (calls: readonly SwitchCall[], seen) =>
          calls.some((call) => call.kind === kind)
            ? [{ outputs: [], packetIns: [] }]
            : await model.call(calls, seen),
      };
    },
  };
}

const missed: readonly (readonly [
  kind: OperationStep['kind'],
  aspect: FuzzAspect,
  steps: number,
])[] = [
  ['advance', 'connections', 2],
  ['link', 'frames', 2],
  ['flush', 'connections', 2],
  ['change', 'program', 1],
];

void t.test('what the model misses is found, in as few steps as it takes to see it', async (t) => {
  await withSides('trixie', async (sides) => {
    t.same((await judgeCase(sides, whole)).differences, [], 'with all of it, they do the same');
    for (const [kind, aspect, most] of missed) {
      const shows = async (steps: readonly CaseStep[]) =>
        (await judgeCase(without(sides, kind), { ...whole, steps })).differences.some(
          (difference) => difference.aspect === aspect,
        );
      t.ok(await shows(whole.steps), `${kind}: ${aspect}`);
      const left = await deltaDebug(whole.steps, shows);
      t.ok(
        left.length <= most && left.some((step) => step.kind === kind),
        `${kind}: ${left.map((step) => step.kind).join(', ')}`,
      );
    }
  });
});
