/**
 * Goal: multicast goes the same way in the model as on real switches that snoop, byte by byte; and
 * who asked for what is remembered for as long, in all three versions. Method: switches with small
 * tables, short ages and ports of all kinds; seeded IGMP, MLD, data and times, malformed ones among
 * them; after each, what comes out and what `mdb/show` reports. SEED=n for others, SUITE=trixie for
 * one version.
 */
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { Unsupported } from '../../base/errors/errors.js';
import { randomFor, type Random } from '../../base/random.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SnoopingPlan } from '../../domain/plan/bridge-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import { runProgram } from '../../ovs/process/run-program.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import {
  encodeIgmp,
  encodeIgmpReport,
  igmpTypes,
  type MembershipRecord,
} from '../../packet/protocols/ip/igmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import { encodeMld, encodeMldReport, mldTypes } from '../../packet/protocols/ip/mld.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { pick } from '../testkit/arbitrary-frame.js';
import { newest, parseVersion } from '../behaviour.js';
import { bridgeNamed, type ModelNode } from '../model-node.js';
import { resetNode } from '../reset-node.js';
import { buildNode } from '../build-node.js';
import { applyCall } from '../apply-call.js';
import { dumpSnooping } from './multicast-snooping.js';
import { stateOf } from '../state-of-node.js';
import { receiveFrame } from '../receive-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const rounds = Number(process.env['ROUNDS'] ?? 180);

const ports: readonly PortPlan[] = [
  { kind: 'endpoint', name: 'p1', ofport: 1 },
  { kind: 'endpoint', name: 'p2', ofport: 2, vlan: { tag: 5, trunks: [] } },
  { kind: 'endpoint', name: 'p3', ofport: 3, vlan: { trunks: [5, 6] } },
  {
    kind: 'endpoint',
    name: 'p4',
    ofport: 4,
    vlan: { mode: 'native-untagged', tag: 5, trunks: [6] },
  },
  { kind: 'endpoint', name: 'p5', ofport: 5, vlan: { tag: 6, trunks: [] } },
  { kind: 'patch', name: 'to1', ofport: 6, peer: { bridge: 'br1', port: 'to0' } },
];
const flows = [
  'priority=1,actions=NORMAL',
  'icmp6,nw_ttl=2,actions=set_field:fe80::77->ipv6_src,set_field:0a:00:00:00:00:77->eth_src,NORMAL',
  'ip,nw_ttl=2,actions=set_field:0.0.0.0->ip_src,push_vlan:0x8100,set_field:4102->vlan_vid,NORMAL',
];
const places = ['p1', 'p2', 'p3', 'p4', 'p5', 'q1', 'br0'];
const kinds: readonly SnoopingPlan[] = [
  { ageingS: 60, size: 10 },
  { ageingS: 200, unregistered: 'to routers', flood: ['p4'], floodReports: ['p3'] },
  { unregistered: 'to routers', flood: ['br0', 'p2'], floodReports: ['to1', 'br0'] },
];

function planOf(multicastSnooping: SnoopingPlan): NodePlan {
  return {
    node: 'n1',
    hosts: [],
    bridges: [
      { name: 'br0', mac: '02:00:00:00:00:fe', ports, flows, multicastSnooping },
      {
        name: 'br1',
        mac: '02:00:00:00:00:fd',
        flows: ['actions=NORMAL'],
        multicastSnooping: {},
        ports: [
          { kind: 'patch', name: 'to0', ofport: 1, peer: { bridge: 'br0', port: 'to1' } },
          { kind: 'endpoint', name: 'q1', ofport: 2 },
        ],
      },
    ],
  };
}

const groups4 = (random: Random) =>
  random.integer(0, 9) === 0
    ? pick(random, ['224.0.0.251', '0.0.0.0', '10.0.0.1', '224.0.1.1'])
    : `239.1.1.${random.integer(1, random.integer(0, 1) === 0 ? 3 : 12)}`;
const groups6 = (random: Random) =>
  random.integer(0, 9) === 0
    ? pick(random, ['ff02::1', 'ff02::2', '::', '::ffff:239.1.1.1'])
    : `ff15::${random.integer(1, 3)}`;

function records(random: Random, group: (random: Random) => string): readonly MembershipRecord[] {
  const source = group === groups4 ? '10.9.9.9' : 'fd00::9';
  return Array.from({ length: random.integer(1, 4) }, () => ({
    type: random.integer(0, 9) === 0 ? 9 : random.integer(1, 6),
    group: group(random),
    sources: pick(random, [[], [], [source], [source, source]]),
  }));
}

function igmp(random: Random): Uint8Array {
  const type = pick(random, [
    igmpTypes.reportV1,
    igmpTypes.reportV2,
    igmpTypes.reportV2,
    igmpTypes.leave,
    igmpTypes.query,
    igmpTypes.reportV3,
    igmpTypes.reportV3,
    igmpTypes.reportV3,
    0x13,
  ]);
  return type === igmpTypes.reportV3
    ? encodeIgmpReport(records(random, groups4))
    : encodeIgmp({ type, code: 0, group: groups4(random) });
}

/**
 * Now and then cut off, longer, of another number of records, or otherwise changed, which its
 * checksum seldom follows.
 */
function damaged(
  random: Random,
  message: Uint8Array,
  repair: (bytes: Uint8Array) => Uint8Array,
): Uint8Array {
  if (random.integer(0, 5) !== 0) return message;
  if (random.integer(0, 2) === 0 && message.length > 9) {
    // The first record of a report has auxiliary data, or seems to.
    const padded = concatBytes(message, new Uint8Array(4));
    padded[9] = random.integer(1, 4);
    return repair(padded);
  }
  const bytes = concatBytes(message, new Uint8Array(8)).slice(
    0,
    random.integer(4, message.length + 8),
  );
  const at = random.integer(0, bytes.length - 1);
  if (random.integer(0, 1) === 0) bytes[at] = random.integer(0, 255);
  return random.integer(0, 2) === 0 ? bytes : repair(bytes);
}

/** With the checksum at its third byte right again. */
function summed(bytes: Uint8Array, initial: number): Uint8Array {
  if (bytes.length < 4) return bytes;
  const cleared = bytes.slice();
  cleared.fill(0, 2, 4);
  let sum = initial;
  for (let at = 0; at < cleared.length; at += 2)
    sum += ((cleared[at] ?? 0) << 8) + (cleared[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  cleared[2] = (~sum >>> 8) & 0xff;
  cleared[3] = ~sum & 0xff;
  return cleared;
}

interface IpPacket {
  readonly etherType: number;
  readonly dst: string;
  readonly bytes: Uint8Array;
}

function ipv4(random: Random): IpPacket {
  const addresses = {
    src: pick(random, ['10.0.0.1', '10.0.0.2', '0.0.0.0']),
    dst: groups4(random),
  };
  const isData = random.integer(0, 1) === 0;
  const payload = isData
    ? encodeUdp({ srcPort: 4000, dstPort: 7 }, new Uint8Array(20), addresses)
    : damaged(random, igmp(random), (bytes) => summed(bytes, 0));
  const bytes = encodeIpv4(
    {
      ...addresses,
      protocol: isData ? ipProtocols.udp : ipProtocols.igmp,
      ttl: pick(random, [1, 64, 2]),
    },
    payload,
  );
  if (random.integer(0, 11) === 0)
    bytes.set(
      pick(random, [
        [0x20, 0],
        [0, 8],
        [0x20, 8],
      ]),
      6,
    ); // one of several fragments
  return { etherType: etherTypes.ipv4, dst: '01:00:5e:01:01:01', bytes };
}

function ipv6(random: Random): IpPacket {
  const addresses = { src: pick(random, ['fe80::1', 'fe80::2', '::']), dst: groups6(random) };
  const type = pick(random, [
    mldTypes.query,
    mldTypes.report,
    mldTypes.report,
    mldTypes.done,
    mldTypes.reportV2,
    mldTypes.reportV2,
    135,
  ]);
  const isData = random.integer(0, 1) === 0;
  const message = () =>
    type === mldTypes.reportV2
      ? encodeMldReport(records(random, groups6), addresses)
      : encodeMld(type, groups6(random), addresses);
  const sum = (length: number) =>
    summed(
      concatBytes(
        Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0),
        encodeIpv6({ ...addresses, nextHeader: 0, hopLimit: 0 }, new Uint8Array()).subarray(8),
      ),
      ipProtocols.icmp6 + length,
    );
  const repair = (bytes: Uint8Array) =>
    summed(bytes, ~(((sum(bytes.length)[2] ?? 0) << 8) + (sum(bytes.length)[3] ?? 0)) & 0xffff);
  const payload = isData
    ? encodeUdp({ srcPort: 4000, dstPort: 7 }, new Uint8Array(20), addresses)
    : damaged(random, message(), repair);
  const bytes = encodeIpv6(
    {
      ...addresses,
      nextHeader: isData ? ipProtocols.udp : ipProtocols.icmp6,
      hopLimit: pick(random, [1, 64, 2]),
    },
    payload,
  );
  return { etherType: etherTypes.ipv6, dst: '33:33:00:00:00:01', bytes };
}

function someFrame(random: Random): Uint8Array {
  const { etherType, dst, bytes } = random.integer(0, 2) === 0 ? ipv6(random) : ipv4(random);
  const padding =
    random.integer(0, 3) === 0
      ? Uint8Array.from({ length: random.integer(1, 24) }, () => random.integer(0, 6))
      : new Uint8Array();
  const to = pick(random, [dst, dst, dst, dst, dst, 'ff:ff:ff:ff:ff:ff', '0a:00:00:00:00:01']);
  const frame = encodeEthernet(
    { src: `0a:00:00:00:00:0${random.integer(1, 4)}`, dst: to, etherType },
    concatBytes(bytes, padding),
  );
  const vlan = pick(random, ['none', 'none', 5, 5, 6]);
  return vlan === 'none'
    ? frame
    : concatBytes(
        frame.subarray(0, 12),
        Uint8Array.of(0x81, 0, 0, Number(vlan)),
        frame.subarray(12),
      );
}

function nextCall(random: Random): SwitchCall {
  if (random.integer(0, 7) === 0)
    return {
      kind: 'advance',
      node: 'n1',
      ms: pick(random, [1, 500, 1000, 2000, 4000, 9000, 30_000, 100_000]),
    };
  return { kind: 'receive', node: 'n1', port: pick(random, places), frames: [someFrame(random)] };
}

/** Port, VLAN, group and age, as `mdb/show` reports them and in its order. */
function remembered(node: ModelNode, bridge: string): readonly string[] {
  const { snooping } = bridgeNamed(node, bridge);
  return snooping === undefined
    ? []
    : dumpSnooping(snooping, node.nowMs).map(
        ({ port, vlan, group, ageS }) =>
          `${port === 65534 ? 'LOCAL' : port} ${vlan} ${group} ${ageS}`,
      );
}

/** The protocol, which versions from 3.2 on report, is left out. */
function parseShown(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const words = line.trim().split(/\s+/);
      return [words[0], words[1], words.at(-2), words.at(-1)].join(' ');
    });
}

for (const suite of suites) {
  void t.test(`multicast snooping on ${suite}`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const met = { reached: 0, kept: 0, refused: 0, forgotten: 0, twice: 0, full: 0 };
    for (const [number, kind] of kinds.entries()) {
      const random = randomFor(seed, `snooping ${suite} ${number}`);
      const plan = planOf(kind);
      const sim = await openSim({ nodes: [plan] }, image);
      try {
        const model = buildNode(plan, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest);
        const shown = async (bridge: string) =>
          parseShown(
            (
              await runProgram(image, 'ovs-appctl', [
                '-t',
                join(sim.dir, 'n1/ovs-vswitchd.ctl'),
                'mdb/show',
                bridge,
              ])
            ).stdout,
          );
        for (let round = 0; round < rounds; round++) {
          const call = nextCall(random);
          const description =
            call.kind === 'receive'
              ? `${call.port} ${Buffer.from(call.frames[0] ?? new Uint8Array()).toString('hex')}`
              : JSON.stringify(call);
          const before = remembered(model, 'br0').length;
          const predicted = predict(model, call);
          if (predicted === 'refused') {
            met.refused++;
            resetNode(model);
            await sim.reset();
            continue;
          }
          const [step] = await sim.call([call]);
          const seen = (step?.outputs ?? [])
            .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
            .sort();
          if (
            !t.strictSame(
              seen,
              predicted,
              `seed ${seed}, switch ${number}, round ${round}: ` + description,
            )
          )
            return;
          for (const bridge of ['br0', 'br1']) {
            if (
              !t.strictSame(
                await shown(bridge),
                remembered(model, bridge),
                `remembered by ${bridge}: seed ${seed}, switch ${number}, round ${round}: ` +
                  description,
              )
            )
              return;
          }
          if (
            !t.strictSame(
              (await sim.state()).multicast,
              stateOf(model).multicast,
              `the state: seed ${seed}, switch ${number}, round ${round}: ` + description,
            )
          )
            return;
          if (call.kind === 'receive') met[predicted.length > 0 ? 'reached' : 'kept']++;
          if (new Set(predicted).size < predicted.length) met.twice++;
          if (remembered(model, 'br0').length < before) met.forgotten++;
          if (bridgeNamed(model, 'br0').snooping?.groups.size === 10) met.full++;
        }
        await sim.reset();
        t.strictSame(await shown('br0'), [], 'a reset forgets who asked');
      } finally {
        await sim.close();
      }
    }
    t.comment(JSON.stringify(met));
    t.ok(
      met.reached > met.kept &&
        met.kept > 20 &&
        met.forgotten > 1 &&
        met.full > 0 &&
        met.refused < 20,
      JSON.stringify(met),
    );
  });
}

function predict(model: ModelNode, call: SwitchCall): readonly string[] | 'refused' {
  if (call.kind !== 'receive') {
    applyCall(model, call);
    return [];
  }
  try {
    return call.frames
      .flatMap((frame) => receiveFrame(model, call.port, frame).step.outputs)
      .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
      .sort();
  } catch (error) {
    if (error instanceof Unsupported) return 'refused';
    throw error;
  }
}
