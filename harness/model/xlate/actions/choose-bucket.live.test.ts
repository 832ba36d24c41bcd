/**
 * Goal: a `select` group sends a packet to the bucket that the model names, and sends packets to
 * buckets as often as their weights say; a bucket of no weight, or whose port is down, gets none.
 * Method: datagrams between many addresses and ports through groups of every way of choosing,
 * packet by packet through the model and a real switch; then a chi-squared test of what each bucket
 * got.
 *
 * The false-alarm rate: if hashes were random numbers, a right switch would fail such a test once
 * in a million (`alarm`), so that the 15 here (five groups, three versions) would raise a false
 * alarm once in 66,000 seeds. One seed gives the same answer always. SEED=n for others.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import { randomFor, type Random } from '../../../base/random.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { openSim } from '../../../testbeds/sim/sim.js';
import { newest, parseVersion } from '../../behaviour.js';
import { buildNode } from '../../build-node.js';
import { receiveFrame } from '../../receive-frame.js';

const alarm = 1e-6;
const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const packets = 1024;
const atOnce = 64;

/** Buckets send to ports 2, 3, … in their order. `fate`: of one more, which must get nothing. */
interface Selecting {
  readonly what: string;
  readonly options: string;
  readonly weights: readonly number[];
  readonly chooses: 'by slots' | 'by scores';
  readonly fate?: string;
}

const groups: readonly Selecting[] = [
  { what: 'as it comes', options: '', weights: [1, 1, 2], chooses: 'by slots', fate: 'weight:0' },
  {
    what: 'by the hash of the datapath',
    options: ',selection_method=dp_hash,selection_method_param=7',
    weights: [5, 5, 6],
    chooses: 'by slots',
    fate: 'weight:0',
  },
  {
    what: 'by the symmetric hash of the datapath',
    options: ',selection_method=dp_hash,selection_method_param=0x100000003',
    weights: [1, 2, 3, 4, 6],
    chooses: 'by slots',
  },
  {
    what: 'by a hash',
    options: ',selection_method=hash',
    weights: [1, 2, 4],
    chooses: 'by scores',
    fate: 'weight:0',
  },
  {
    what: 'by the hash of fields',
    options: ',selection_method=hash,selection_method_param=3,fields(ip_src,udp_dst)',
    weights: [2, 2, 3],
    chooses: 'by scores',
    fate: 'weight:4,watch_port:9',
  },
];

/**
 * How often each bucket is to be chosen. Slots are shared out by weight (here with nothing left
 * over); of scores, which are random numbers times weights, the highest wins.
 */
function expectedOf({ weights, chooses }: Selecting): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (chooses === 'by slots') return weights.map((weight) => weight / total);
  const steps = 65536;
  const isBelow = (score: number, weight: number) => Math.min(1, score / (weight * steps));
  return weights.map(
    (own, index) =>
      Array.from({ length: steps }, (_, hash) =>
        weights.reduce(
          (all, other, place) => (place === index ? all : all * isBelow(own * hash, other)),
          1,
        ),
      ).reduce((sum, chance) => sum + chance, 0) / steps,
  );
}

/**
 * The chance that random choices would deviate from what is expected at least so far (chi-squared,
 * for an odd number of buckets).
 */
function chanceOf(counts: readonly number[], expected: readonly number[]): number {
  const all = counts.reduce((sum, count) => sum + count, 0);
  const half =
    counts.reduce(
      (sum, count, index) =>
        sum + (count - all * (expected[index] ?? 0)) ** 2 / (all * (expected[index] ?? 0)),
      0,
    ) / 2;
  let [term, sum] = [1, 1];
  for (let k = 1; k < (counts.length - 1) / 2; k++) sum += term *= half / k;
  return Math.exp(-half) * sum;
}

const mostPorts = 7;
const planOf = (selecting: readonly string[]): NodePlan => ({
  node: 'n1',
  hosts: [],
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:fe',
      flows: ['in_port=1 actions=group:1'],
      groups: selecting.length === 0 ? ['group_id=1,type=all'] : selecting,
      ports: Array.from({ length: mostPorts }, (_, index) => ({
        kind: 'endpoint',
        name: `p${index + 1}`,
        ofport: index + 1,
      })),
    },
  ],
});

function groupText({ options, weights, fate }: Selecting): string {
  const others = weights
    .map((weight, index) => `,bucket=bucket_id:${index},weight:${weight},output:${index + 2}`)
    .join('');
  return (
    'group_id=1,' +
    `type=select${options}${others}${fate === undefined ? '' : `,bucket=bucket_id:9,${fate},output:${mostPorts}`}`
  );
}

function datagram(random: Random): Uint8Array {
  const address = () =>
    `10.${random.integer(0, 255)}.${random.integer(0, 255)}.${random.integer(1, 254)}`;
  const ends = { src: address(), dst: address() };
  const payload = encodeUdp(
    { srcPort: random.integer(1, 65535), dstPort: random.integer(1, 65535) },
    new Uint8Array(4),
    ends,
  );
  return encodeEthernet(
    { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 },
    encodeIpv4({ ...ends, ttl: 64, protocol: ipProtocols.udp }, payload),
  );
}

void t.test('the test itself', (t) => {
  t.equal(chanceOf([50, 50, 100], [0.25, 0.25, 0.5]), 1);
  t.ok(
    Math.abs(chanceOf([60, 50, 90], [0.25, 0.25, 0.5]) - Math.exp(-1.5)) < 1e-12,
    'two degrees of freedom: exp(-x/2), with x = 3',
  );
  t.ok(
    Math.abs(expectedOf(groups[3]!).reduce((sum, share) => sum + share, 0) - 1) < 1e-3,
    'one of the buckets is chosen',
  );
  t.end();
});

for (const suite of suites) {
  void t.test(`buckets of select groups on ${suite}`, async (t) => {
    const sim = await openSim(
      { nodes: [planOf([])] },
      await openImage(suite, (line) => t.comment(line)),
    );
    t.teardown(() => sim.close());
    const version = parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest;
    for (const selecting of groups) {
      const text = groupText(selecting);
      await sim.bundle('n1', 'br0', [`group modify ${text}`]);
      const node = buildNode(planOf([text]), version);
      const random = randomFor(seed, `select ${selecting.what}`);
      const counts = new Map<string, number>();
      for (let sent = 0; sent < packets; sent += atOnce) {
        const frames = Array.from({ length: Math.min(atOnce, packets - sent) }, () =>
          datagram(random),
        );
        const expected = frames.flatMap((frame) => receiveFrame(node, 'p1', frame).step.outputs);
        const [step] = await sim.call([{ kind: 'receive', node: 'n1', port: 'p1', frames }]);
        const inWords = (outputs: typeof expected) =>
          outputs.map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`).sort();
        t.strictSame(
          inWords(step?.outputs.slice() ?? []),
          inWords(expected),
          `${selecting.what}: the buckets that the model names`,
        );
        for (const { port } of step?.outputs ?? []) counts.set(port, (counts.get(port) ?? 0) + 1);
      }
      const seen = selecting.weights.map((_, index) => counts.get(`p${index + 2}`) ?? 0);
      t.equal(
        seen.reduce((sum, count) => sum + count, 0),
        packets,
        `${selecting.what}: no packet elsewhere`,
      );
      const chance = chanceOf(seen, expectedOf(selecting));
      t.ok(
        chance > alarm,
        `${selecting.what}: ${seen.join(', ')} for weights ${selecting.weights.join(', ')}, ` +
          `which happens by chance in ${(100 * chance).toFixed(2)} % of all cases`,
      );
      t.ok(
        chanceOf(
          seen,
          seen.map(() => 1 / seen.length),
        ) < alarm || selecting.weights.every((weight) => Math.abs(weight - 5) <= 1),
        `${selecting.what}: weights that are forgotten would be found`,
      );
    }
  });
}
