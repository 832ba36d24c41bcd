/**
 * Goal: limits of connections, timeouts by zone and unchecked sequences of TCP do in the model what
 * they do in a real Open vSwitch. Method: nodes that are configured so, and packets drawn from a
 * seed between few addresses and ports in two zones; what the tracker said (ct-report-plan.ts) and
 * the tables of connections are compared, with timeouts. Limits are met without time passing, as
 * connections that have expired count until a thread that runs in real time has come by; zones are
 * flushed instead. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor, type Random } from '../../base/random.js';
import type { ConntrackPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import type { SwitchState } from '../../domain/switch-state.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { pick } from '../testkit/arbitrary-frame.js';
import { newest, parseVersion } from '../behaviour.js';
import { buildNode } from '../build-node.js';
import { applyCall } from '../apply-call.js';
import { stateOf } from '../state-of-node.js';
import { receiveFrame } from '../receive-frame.js';
import { anySent, framed } from '../testkit/arbitrary-traffic.js';
import { defaultTimeouts } from './timeouts.js';
import { ctReportPlan } from '../testkit/ct-report-plan.js';

const seed = 53;
const packets = 400;
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const node = ctReportPlan.node;

interface Configured {
  readonly name: string;
  readonly conntrack: ConntrackPlan;
  readonly next: (random: Random) => Uint8Array;
  /** What happens now and then between packets. */
  readonly between: (random: Random) => Exclude<SwitchCall, { readonly kind: 'receive' }>;
  /**
   * What has to have been met, in the words of dump-conntrack, or reported by so many connections.
   */
  readonly mostConnections?: number;
}

const anyPacket = (random: Random) => framed(random, anySent(random, []));

function anySegment(random: Random): Uint8Array {
  const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
  const [src, dst] =
    random.integer(0, 1) === 0 ? [addresses.src, addresses.dst] : [addresses.dst, addresses.src];
  const ports =
    src === addresses.src
      ? { srcPort: pick(random, [4000, 4001]), dstPort: 80 }
      : { srcPort: 80, dstPort: pick(random, [4000, 4001]) };
  const { SYN, ACK, FIN, RST } = tcpFlags;
  const flags = pick(random, [SYN, SYN | ACK, ACK, ACK, FIN | ACK, RST]);
  const number = () =>
    pick(random, [0, 1, 2, 1000, 100_000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]);
  const tcp = encodeTcp(
    {
      ...ports,
      sequence: number(),
      acknowledgement: (flags & ACK) === 0 ? 0 : number(),
      flags,
      window: 100,
      urgentPointer: 0,
      options: new Uint8Array(),
    },
    new Uint8Array(random.integer(0, 20)),
    { src, dst },
  );
  return encodeEthernet(
    { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
    encodeIpv4({ src, dst, ttl: 64, protocol: ipProtocols.tcp }, tcp),
  );
}

const advance = (random: Random): SwitchCall & { readonly kind: 'advance' } => ({
  kind: 'advance',
  node,
  ms: random.integer(1, 9000),
});
const flush = (random: Random): SwitchCall & { readonly kind: 'flush' } => ({
  kind: 'flush',
  node,
  ...pick(random, [{}, { zone: 5 }, { zone: 0 }]),
});
/** Each a few seconds longer than the one before. */
const unlike = Object.fromEntries(
  Object.keys(defaultTimeouts).map((name, index) => [name, 11 + 7 * index]),
);

const configured: readonly Configured[] = [
  {
    name: 'limits by zone',
    conntrack: {
      limits: [
        { zone: 5, connections: 4 },
        { zone: 'default', connections: 3 },
      ],
    },
    next: anyPacket,
    between: flush,
    mostConnections: 7,
  },
  {
    name: 'a limit for all zones that are not named',
    conntrack: { limits: [{ zone: 'default', connections: 3 }] },
    next: anyPacket,
    between: flush,
  },
  {
    name: 'a zone that takes none',
    conntrack: { limits: [{ zone: 5, connections: 0 }] },
    next: anyPacket,
    between: flush,
  },
  {
    name: 'a limit for all',
    conntrack: { mostConnections: 5 },
    next: anyPacket,
    between: flush,
    mostConnections: 5,
  },
  {
    name: 'timeouts by zone',
    conntrack: {
      timeouts: [
        { zone: 5, seconds: unlike },
        { zone: 0, seconds: { udp_first: 3, icmp_reply: 70 } },
      ],
    },
    next: anyPacket,
    between: advance,
  },
  {
    name: 'sequences that are not checked',
    conntrack: { tcpSequences: 'not checked' },
    next: anySegment,
    between: advance,
  },
];

const hex = (frame: Uint8Array) => Buffer.from(frame).toString('hex');
const inOrder = ({ connections }: SwitchState) =>
  connections.map((connection) => JSON.stringify(connection)).sort();

for (const suite of suites) {
  for (const { name, conntrack, next, between, mostConnections } of configured) {
    void t.test(`${name}, ${suite}`, async (t) => {
      t.comment(`seed ${seed}`);
      const plan: NodePlan = { ...ctReportPlan, conntrack };
      const sim = await openSim(
        { nodes: [plan] },
        await openImage(suite, (line) => t.comment(line)),
      );
      t.teardown(() => sim.close());
      const model = buildNode(plan, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest);
      const random = randomFor(seed, name);
      let most = 0;
      for (let index = 0; index < packets; index++) {
        const frame = next(random);
        const expected = receiveFrame(model, 'p1', frame).step.outputs.map(
          (output) => `${output.port} ${hex(output.frame)}`,
        );
        const [step] = await sim.call([{ kind: 'receive', node, port: 'p1', frames: [frame] }]);
        const found = step?.outputs.map((output) => `${output.port} ${hex(output.frame)}`) ?? [];
        most = Math.max(most, stateOf(model).connections.length);
        if (found.join() !== expected.join()) {
          t.strictSame(found, expected, `packet ${index}: ${hex(frame)}`);
          return;
        }
        if (random.integer(0, 19) > 0) continue;
        t.strictSame(
          inOrder(await sim.state()),
          inOrder(stateOf(model)),
          `connections after packet ${index}`,
        );
        if (!t.passing()) return;
        const call = between(random);
        applyCall(model, call);
        await sim.call([call]);
      }
      if (mostConnections !== undefined)
        t.equal(most, mostConnections, 'connections at a time, and no more');
      t.ok(most > 1, `${most} connections at a time`);
    });
  }
}
