// Goal: frames that a vector spells out have the bytes that it says, and the agenda keeps the order
// of time. Method: each kind of payload in one line, and field by field where a line does not say;
// entries put in out of order.
import t from 'tap';
import type { FrameSpec, InterjectedSegment } from '../domain/test-vector.js';
import { dissect } from '../packet/dissect/dissect.js';
import { describeFrame } from '../packet/dissect/describe-frame.js';
import { tcpFlags } from '../packet/protocols/transport/tcp.js';
import { createEventQueue } from './event-queue.js';
import { encodeSpec } from './encode-spec.js';
import { interjected } from './stack/tcp/tcp-segment.js';

const mac = { a: '02:00:00:00:00:0a', b: '02:00:00:00:00:0b' };
const draws = {
  identifier: 77,
  srcPort: 50000,
  payload: Uint8Array.of(1, 2, 3, 4),
  sequences: { opener: 1000, answerer: 5000 },
};

void t.test('frames that are spelled out', async (t) => {
  const ends = { src: '10.0.0.1', dst: '10.0.0.2', ttl: 9 };
  const bytes = (payload: FrameSpec['payload']) =>
    encodeSpec({ src: mac.a, dst: mac.b, payload }, draws);
  const ip = `${mac.a} > ${mac.b} IPv4 10.0.0.1 > 10.0.0.2`;
  const cases: readonly (readonly [payload: FrameSpec['payload'], said: string])[] = [
    [{ kind: 'udp', ...ends, srcPort: 5, dstPort: 6 }, `${ip} UDP 5 > 6 length 4 ttl 9`],
    [
      { kind: 'tcp', ...ends, srcPort: 5, dstPort: 6, flags: ['SYN', 'FIN'], checksum: 'right' },
      `${ip} TCP 5 > 6 FIN,SYN seq 1000 ack 5000 length 0 ttl 9`,
    ],
    [
      { kind: 'tcp', ...ends, srcPort: 5, dstPort: 6, flags: [], checksum: 'wrong' },
      `${ip} TCP 5 > 6 none seq 1000 ack 5000 length 0 ttl 9 [wrong tcp.checksum]`,
    ],
    [{ kind: 'echo-request', ...ends }, `${ip} ICMP echo request id 77 seq 1 ttl 9`],
    [
      { kind: 'arp', op: 'reply', sha: mac.b, spa: '10.0.0.2', tha: mac.a, tpa: '10.0.0.1' },
      `${mac.a} > ${mac.b} ARP 10.0.0.2 is at ${mac.b}`,
    ],
    [{ kind: 'other', etherType: 0x88b5, hex: '0a0b' }, `${mac.a} > ${mac.b} type 0x88b5 length 2`],
  ];
  for (const [payload, said] of cases) t.equal(describeFrame(bytes(payload)), said);
  const fieldsOf = (payload: FrameSpec['payload']) =>
    Object.fromEntries(dissect(bytes(payload)).map(({ name, value }) => [name, value]));
  t.match(fieldsOf({ kind: 'udp', ...ends, srcPort: 5, dstPort: 6 }), {
    'ip.identification': '77',
    'ip.fragment': 'offset 0',
    payload: '01020304',
  });
  t.match(
    fieldsOf({ kind: 'tcp', ...ends, srcPort: 5, dstPort: 6, flags: ['ACK'], checksum: 'right' }),
    { 'tcp.window': '65535', 'tcp.urgent_pointer': '0' },
  );
  t.match(fieldsOf({ kind: 'echo-request', ...ends }), { 'icmp.code': '0', payload: '01020304' });
  t.match(fieldsOf({ kind: 'other', etherType: 0x88b5, hex: '0a0b' }), { payload: '0a0b' });
});

void t.test('a wrong checksum is the right one but for its last bit', async (t) => {
  const segment = (checksum: 'right' | 'wrong') =>
    encodeSpec(
      {
        src: mac.a,
        dst: mac.b,
        payload: {
          kind: 'tcp',
          src: '10.0.0.1',
          dst: '10.0.0.2',
          ttl: 9,
          srcPort: 5,
          dstPort: 6,
          flags: ['ACK'],
          checksum,
        },
      },
      draws,
    );
  const [right, wrong] = [segment('right'), segment('wrong')];
  t.strictSame(
    [...right].flatMap((byte, index) =>
      byte === wrong[index] ? [] : [`${index}: ${byte ^ (wrong[index] ?? 0)}`],
    ),
    [`${14 + 20 + 17}: 1`],
  );
});

void t.test('segments that do not belong', async (t) => {
  const data = {
    sequence: 0xf0000000,
    acknowledgement: 5,
    flags: tcpFlags.PSH + tcpFlags.ACK,
    payload: Uint8Array.of(42),
    checksum: 'right',
  } as const;
  const made = (name: InterjectedSegment) => interjected(name, 0xf0000000, 5);
  t.strictSame(made('out-of-window'), { ...data, sequence: 0x30000000 }, '2^30 bytes ahead');
  t.strictSame(made('syn-fin'), {
    ...data,
    flags: tcpFlags.SYN + tcpFlags.FIN,
    payload: new Uint8Array(),
  });
  t.strictSame(made('bad-checksum'), { ...data, checksum: 'wrong' });
});

void t.test(
  'the agenda: in order of time, as put in at one instant, and what nobody waits for is ' +
    'thrown away',
  async (t) => {
    const agenda = createEventQueue<string>();
    for (const [timeUs, entry] of [
      [10, 'c'],
      [9, 'a'],
      [10, 'd'],
      [9, 'b'],
      [100, 'e'],
    ] as const)
      agenda.put(timeUs, entry);
    t.equal(
      agenda.nextTime((entry) => entry === 'b'),
      9,
    );
    t.strictSame(agenda.take(9), ['a', 'b']);
    t.strictSame(agenda.take(9), [], 'once');
    t.equal(
      agenda.nextTime((entry) => entry === 'e'),
      100,
    );
    t.equal(
      agenda.nextTime(() => true),
      100,
      'what was passed over does not come back',
    );
    t.strictSame(agenda.take(100), ['e']);
    t.equal(
      agenda.nextTime(() => true),
      undefined,
    );
  },
);
