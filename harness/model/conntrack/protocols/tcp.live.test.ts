/**
 * Goal: of every segment in every state of a connection, the tracker says what a real Open vSwitch
 * says, and remembers the same. Method: thousands of segments, drawn from a seed so that
 * handshakes, transfers and closes happen, with many that are a little or very wrong, in both
 * directions; each combination of bits of ct_state and ct_mark goes to a port of its own. After
 * each batch the tables of connections are compared, with states, window scales and timeouts, and
 * some time passes.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import { randomFor, type Random } from '../../../base/random.js';
import type { ClusterPlan } from '../../../domain/plan/cluster-plan.js';
import type { SwitchState } from '../../../domain/switch-state.js';
import { describeFrame } from '../../../packet/dissect/describe-frame.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags, type TcpHeader } from '../../../packet/protocols/transport/tcp.js';
import { openModel } from '../../../testbeds/model/model-testbed.js';
import { openSim } from '../../../testbeds/sim/sim.js';
import type { Testbed } from '../../../testbeds/testbed.js';

const seed = 20;
const batches = 100;
const segmentsPerBatch = 50;
const batchesPerConversation = 4;

const verdicts = ['+new+trk', '-new+est-rpl+trk', '-new+est+rpl+trk', '+inv+trk'].flatMap((state) =>
  [0, 1].map((mark) => `ct_state=${state},ct_mark=${mark}`),
);

/**
 * New connections are committed, and marked when their client's port is odd; what a segment was
 * taken for names the port it leaves by.
 */
const plan: ClusterPlan = {
  nodes: [
    {
      node: 'n',
      hosts: [],
      bridges: [
        {
          name: 'br',
          mac: '02:00:00:00:00:fe',
          ports: ['in', ...verdicts.map((_, index) => `v${index}`)].map((name, index) => ({
            kind: 'endpoint',
            name,
            ofport: index + 1,
          })),
          flows: [
            'table=0,tcp actions=ct(table=1,zone=5)',
            ...verdicts.map(
              (match, index) =>
                `table=1,priority=10,tcp,${match} actions=output:v${index},goto_table:2`,
            ),
            'table=2,priority=20,tcp,ct_state=+new,tp_src=0x1/0x1 ' +
              'actions=ct(commit,zone=5,exec(load:1->NXM_NX_CT_MARK[]))',
            'table=2,priority=10,tcp,ct_state=+new actions=ct(commit,zone=5)',
          ],
        },
      ],
    },
  ],
};

/** One end of a conversation, as far as sensible segments need to know it. */
interface End {
  readonly ip: string;
  readonly port: number;
  next: number;
}

type Conversation = readonly [client: End, server: End];

/** Four conversations, from client ports `port` on. */
function begin(random: Random, port: number): readonly Conversation[] {
  const end = (ip: string, number: number): End => ({
    ip,
    port: number,
    next: random.integer(0, 0xffffffff),
  });
  return [0, 1, 2, 3].map((index) => [end('10.0.0.1', port + index), end('10.0.0.2', 80)]);
}

/** What a conversation does next: mostly what a connection does, sometimes anything at all. */
function nextSegment(random: Random, ends: Conversation): Uint8Array {
  const [from, to] = random.integer(0, 1) === 0 ? ends : [ends[1], ends[0]];
  const pick = <Value>(...values: readonly Value[]): Value =>
    values[random.integer(0, values.length - 1)] as Value;
  const isSane = random.integer(0, 9) > 2;
  const { SYN, ACK, FIN, RST, PSH, URG } = tcpFlags;
  const flags = isSane
    ? pick(SYN, SYN | ACK, ACK, ACK, ACK, PSH | ACK, PSH | ACK, FIN | ACK, RST, RST | ACK)
    : pick(
        0,
        SYN | FIN,
        SYN | RST,
        FIN,
        PSH,
        URG | ACK,
        SYN,
        SYN | ACK | PSH,
        FIN | ACK,
        RST,
        ACK,
        random.integer(0, 0x3f),
      );
  const payload = new Uint8Array((flags & PSH) !== 0 || !isSane ? pick(1, 10, 600, 1400) : 0);
  const off = () =>
    isSane
      ? pick(0, 0, 0, 0, 0, -1, 1)
      : pick(
          0,
          1,
          -1,
          -2,
          2,
          100,
          65_535,
          65_536,
          67_035,
          -67_035,
          -67_036,
          70_000,
          200_000_000,
          0x4000_0000,
          -0x4000_0000,
          0x7fff_ffff,
        );
  const header: TcpHeader = {
    srcPort: from.port,
    dstPort: to.port,
    sequence: (from.next + off()) >>> 0,
    acknowledgement:
      (flags & ACK) === 0 || random.integer(0, 40) === 0 ? 0 : (to.next + off()) >>> 0,
    flags,
    window: pick(0, 1, 100, 501, 65_535),
    urgentPointer: 0,
    options: (flags & SYN) === 0 ? new Uint8Array() : optionsFrom(pick),
  };
  if (isSane)
    from.next = (header.sequence + payload.length + ((flags & (SYN | FIN)) === 0 ? 0 : 1)) >>> 0;
  const addresses = { src: from.ip, dst: to.ip };
  const bytes = encodeTcp(header, payload, addresses);
  return encodeEthernet(
    { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
    encodeIpv4(
      { ...addresses, ttl: 64, protocol: ipProtocols.tcp },
      random.integer(0, 49) === 0 ? bytes.with(16, (bytes[16] ?? 0) ^ 0x10) : bytes,
    ),
  );
}

function optionsFrom(pick: <Value>(...values: readonly Value[]) => Value): Uint8Array {
  return Uint8Array.from(
    pick(
      [],
      [2, 4, 5, 180],
      [1, 3, 3, 7],
      [3, 3, 0, 0],
      [1, 3, 3, 200],
      [2, 4, 5, 180, 1, 3, 3, 2],
      [0, 3, 3, 7],
      [3, 3, 14, 1],
      [8, 0, 3, 3, 7, 0, 0, 0],
      [1, 1, 1, 3],
    ),
  );
}

/** `v3` for each frame, by its place in the batch; frames carry it as the IP identification. */
async function verdictsOf(
  testbed: Testbed,
  frames: readonly Uint8Array[],
): Promise<readonly (string | undefined)[]> {
  const [step] = await testbed.call([
    { kind: 'receive', node: 'n', port: 'in', frames: frames.map(numbered) },
  ]);
  const ports = new Map(
    step?.outputs.map(({ port, frame }) => [((frame[18] ?? 0) << 8) | (frame[19] ?? 0), port]),
  );
  return frames.map((_, index) => ports.get(index));
}

/** The frame with `index` as IP identification, which its checksum then makes up for. */
function numbered(frame: Uint8Array, index: number): Uint8Array {
  const bytes = frame.slice();
  const view = new DataView(bytes.buffer);
  const checksum = view.getUint16(24) - index;
  view.setUint16(18, index);
  view.setUint16(24, checksum < 0 ? checksum + 0xffff : checksum);
  return bytes;
}

const inOrder = ({ connections }: SwitchState) =>
  connections.map((connection) => JSON.stringify(connection)).sort();

void t.test(`${batches * segmentsPerBatch} segments`, async (t) => {
  t.comment(`seed ${seed}`);
  const random = randomFor(seed, 'tcp');
  const model = openModel(plan);
  const sim = await openSim(plan, await openImage('trixie', (line) => t.comment(line)));
  t.teardown(() => sim.close());
  const met = new Map<string, number>();
  const states = new Set<string>();
  let conversations: readonly Conversation[] = [];
  for (let batch = 0; batch < batches; batch++) {
    if (batch % batchesPerConversation === 0) conversations = begin(random, 40_000 + batch);
    const frames = Array.from({ length: segmentsPerBatch }, () =>
      nextSegment(random, conversations[random.integer(0, 3)] as Conversation),
    );
    const [predicted, seen] = [await verdictsOf(model, frames), await verdictsOf(sim, frames)];
    const wrong = predicted.findIndex((verdict, index) => verdict !== seen[index]);
    if (wrong >= 0) {
      const inWords = (verdict: string | undefined) =>
        verdict === undefined ? 'nothing' : verdicts[Number(verdict.slice(1))];
      const port = new DataView((frames[wrong] as Uint8Array).buffer).getUint16(34);
      t.comment(
        frames
          .slice(0, wrong + 1)
          .map((frame, index) => `${inWords(predicted[index])}  ${describeFrame(frame)}`)
          .join('\n'),
      );
      t.fail(
        `batch ${batch}, segment ${wrong}, from port ${port}: the model says ` +
          `${inWords(predicted[wrong])}, the switch ${inWords(seen[wrong])}`,
      );
      return;
    }
    for (const verdict of predicted) met.set(verdict ?? '', (met.get(verdict ?? '') ?? 0) + 1);
    const [remembered, held] = [await model.state(), await sim.state()];
    for (const { progress } of held.connections)
      for (const [, state] of progress.matchAll(/state_\w+=(\w+)/g)) states.add(state ?? '');
    t.strictSame(inOrder(held), inOrder(remembered), `connections after batch ${batch}`);
    if (!t.passing()) return;
    const ms = random.integer(0, 3) === 0 ? random.integer(1, 60_000) : 1;
    for (const testbed of [model, sim]) await testbed.call([{ kind: 'advance', node: 'n', ms }]);
  }
  for (const [index, verdict] of verdicts.entries())
    t.ok((met.get(`v${index}`) ?? 0) > 20, `${verdict}: ${met.get(`v${index}`) ?? 0} times`);
  t.strictSame(
    [...states].sort(),
    ['CLOSED', 'CLOSING', 'ESTABLISHED', 'FIN_WAIT_2', 'SYN_SENT', 'TIME_WAIT'],
    'every state was met',
  );
});
