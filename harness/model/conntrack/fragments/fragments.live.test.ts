/**
 * Goal: fragments wait for each other, are tracked as what they are together and go on, as in a
 * real Open vSwitch: the same frames come out, with what the tracker said, after the same fragment
 * that came in (in which order hangs on what the switch has cached). Method: packets drawn from a
 * seed, cut up, shuffled, some pieces missing, doubled, too small or overlapping; flows write what
 * the tracker said into copies (ct-report-plan.ts); connections of some are translated. Now and
 * then all that waits expires. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import { randomFor } from '../../../base/random.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { ctStateBits } from '../../../openflow/match/fields.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../../packet/protocols/ip/ipv6.js';
import { openSim } from '../../../testbeds/sim/sim.js';
import { pick } from '../../testkit/arbitrary-frame.js';
import { newest, parseVersion } from '../../behaviour.js';
import { buildNode } from '../../build-node.js';
import { applyCall } from '../../apply-call.js';
import { stateOf } from '../../state-of-node.js';
import { receiveFrame } from '../../receive-frame.js';
import { someFragments } from '../../testkit/arbitrary-fragments.js';
import type { Sent } from '../../testkit/arbitrary-traffic.js';
import { ctReportPlan } from '../../testkit/ct-report-plan.js';

/**
 * What comes from the first is translated to a source, from the second to a source and a port, from
 * the third to a destination; the error comes back to both.
 */
const others = {
  ip: { src: '10.0.0.7', dst: '10.9.0.7' },
  ipv6: { src: 'fd00::7', dst: 'fd09:0:0:1::7' },
} as const;
const translating = (['ip', 'ipv6'] as const).flatMap((family) => {
  const { src, dst } = others[family];
  const ways = [
    ['91', `src=${src}`],
    ['92', family === 'ip' ? `src=${src}:4000` : `src=[${src}]:4000`],
    ['93', `dst=${dst}`],
  ] as const;
  return ways.flatMap(([mac, nat]) => [
    `table=0,priority=11,${family},dl_src=02:00:00:00:00:${mac} actions=ct(table=1,zone=7,nat)`,
    `table=2,priority=30,${family},ct_state=+new,dl_src=02:00:00:00:00:${mac} ` +
      `actions=ct(commit,table=1,zone=7,nat(${nat}))`,
  ]);
});
const plan: NodePlan = {
  ...ctReportPlan,
  bridges: ctReportPlan.bridges.map((bridge) => ({
    ...bridge,
    flows: [...bridge.flows, ...translating],
  })),
};

const seed = 47;
const rounds = 12;
const packetsARound = 12;
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');

const hex = (frame: Uint8Array) => Buffer.from(frame).toString('hex');
const framed = ({ family, bytes }: Pick<Sent, 'family' | 'bytes'>, src: string) =>
  encodeEthernet(
    {
      dst: '02:00:00:00:00:02',
      src,
      etherType: family === 'ipv4' ? etherTypes.ipv4 : etherTypes.ipv6,
    },
    bytes,
  );

const ends = {
  ipv4: { src: '10.0.0.8', dst: '10.0.0.9' },
  ipv6: { src: 'fd00::8', dst: 'fd00::9' },
} as const;
const whole = (['ipv4', 'ipv6'] as const).map((family) => {
  const udp = encodeUdp({ srcPort: 8, dstPort: 9 }, new Uint8Array(4), ends[family]);
  return framed(
    {
      family,
      bytes:
        family === 'ipv4'
          ? encodeIpv4({ ...ends.ipv4, ttl: 64, protocol: ipProtocols.udp }, udp)
          : encodeIpv6({ ...ends.ipv6, hopLimit: 64, nextHeader: ipProtocols.udp }, udp),
    },
    '02:00:00:00:00:01',
  );
});

for (const suite of suites) {
  void t.test(suite, async (t) => {
    t.comment(`seed ${seed}`);
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const model = buildNode(plan, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest);
    const random = randomFor(seed, 'fragments');
    const met = { whole: 0, held: 0, compared: 0, translated: 0 };

    const agrees = async (frame: Uint8Array, about: string): Promise<boolean> => {
      const waiting = model.fragments.length;
      const { outputs } = receiveFrame(model, 'p1', frame).step;
      const expected = outputs.map((output) => `${output.port} ${hex(output.frame)}`).sort();
      const [step] = await sim.call([{ kind: 'receive', node: 'n', port: 'p1', frames: [frame] }]);
      const found =
        step?.outputs.map((output) => `${output.port} ${hex(output.frame)}`).sort() ?? [];
      if (expected.length === 0) met.held++;
      if (model.fragments.length < waiting) met.whole++;
      met.compared += expected.length;
      met.translated += outputs.filter(
        (output) =>
          output.port === 'p2' &&
          (Buffer.from(output.frame).readUInt16BE(4) & (ctStateBits.snat | ctStateBits.dnat)) !== 0,
      ).length;
      if (found.join() === expected.join()) return true;

      t.strictSame(
        found.map((text) => text.slice(0, 120)),
        expected.map((text) => text.slice(0, 120)),
        `${about}: ${hex(frame).slice(0, 140)}`,
      );
      return false;
    };
    const advance = async (ms: number) => {
      model.nowMs += ms;
      await sim.call([{ kind: 'advance', node: 'n', ms }]);
    };

    const forget = async () => {
      applyCall(model, { kind: 'flush', node: 'n' });
      await sim.call([{ kind: 'flush', node: 'n' }]);
    };

    for (let round = 0; round < rounds; round++) {
      for (let packet = 0; packet < packetsARound; packet++) {
        const src = pick(
          random,
          ['01', '02', '81', '91', '92', '93'].map((last) => `02:00:00:00:00:${last}`),
        );
        for (const fragment of someFragments(random))
          if (!(await agrees(framed(fragment, src), `round ${round}, packet ${packet}`))) return;
        if (random.integer(0, 3) === 0 && !(await agrees(pick(random, whole), 'a whole packet')))
          return;
        await advance(random.integer(0, 400));
      }
      const connections = (await sim.state()).connections
        .map((connection) => JSON.stringify(connection))
        .sort();
      t.strictSame(
        connections,
        stateOf(model)
          .connections.map((connection) => JSON.stringify(connection))
          .sort(),
        `connections after round ${round}`,
      );
      await advance(26_000);
      for (let times = 0; model.fragments.length > 0 && times < 100; times++)
        for (const frame of whole) if (!(await agrees(frame, 'expired'))) return;
      t.equal(model.fragments.length, 0, 'nothing waits any longer');
      // Before 3.3, what has ended may be in the way of what is translated.
      await forget();
    }
    t.ok(
      met.whole > 60 && met.held > 200 && met.compared > 1000 && met.translated > 100,
      `${met.whole} times something became whole, ${met.held} times a fragment waited, ` +
        `${met.compared} copies compared, ${met.translated} translated`,
    );
  });
}
