/**
 * Goal: whatever controllers get that was not expected is found and named. Method: two equal
 * lists with one thing planted at a time, each field once.
 */
import t from 'tap';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { PacketIn } from '../domain/switching.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeIpv4 } from '../packet/protocols/ip/ipv4.js';
import { comparePacketIns } from './compare-packet-ins.js';

function frame(ttl: number): Uint8Array {
  return encodeEthernet(
    { dst: '02:00:00:00:00:0b', src: '02:00:00:00:00:0a', etherType: etherTypes.ipv4 },
    encodeIpv4({ src: '10.0.0.1', dst: '10.0.0.2', protocol: 200, ttl }, Uint8Array.of(1)),
  );
}

function packetIn(table: number, changed: Partial<PacketIn> = {}): PacketIn {
  return {
    bridge: 'br0',
    controller: 0,
    reason: 'action',
    table,
    cookie: 0x99n,
    length: 35,
    frame: frame(64),
    metadata: 'in_port=1',
    userdata: [1, 0xab],
    paused: false,
    ...changed,
  };
}

const bridge: BridgePlan = {
  name: 'br0',
  mac: '02:00:00:00:00:01',
  ports: [],
  flows: [],
  controllers: [
    { id: 0, paused: 'kept' },
    { id: 7, paused: 'kept' },
  ],
};
const three = [packetIn(1), packetIn(2), packetIn(3)];

function inWords(expected: readonly PacketIn[], actual: readonly PacketIn[]): readonly string[] {
  return comparePacketIns([bridge], expected, actual).differences.map(({ kind, fields }) =>
    [kind, ...fields].join(' '),
  );
}

void t.test('the same is reported', async (t) => {
  t.strictSame(comparePacketIns([bridge], three, three), {
    differences: [],
    count: { expected: 3, made: 3, skipped: 0 },
  });
  t.strictSame(comparePacketIns([bridge], [], []), {
    differences: [],
    count: { expected: 0, made: 0, skipped: 0 },
  });
});

void t.test(
  'one is missing, one is too many, wherever it stands; another order is reported',
  async (t) => {
    for (const place of [0, 1, 2]) {
      t.strictSame(inWords(three, three.toSpliced(place, 1)), ['missing'], `without ${place}`);
      t.strictSame(inWords(three.toSpliced(place, 1), three), ['unexpected'], `${place} too many`);
    }
    t.strictSame(inWords(three, [packetIn(2), packetIn(1), packetIn(3)]), [
      'different table',
      'different table',
    ]);
    t.strictSame(inWords([packetIn(1), packetIn(1)], [packetIn(1)]), ['missing'], 'the same again');
    t.strictSame(comparePacketIns([bridge], three, [packetIn(1)]).count, {
      expected: 3,
      made: 3,
      skipped: 0,
    });
  },
);

void t.test('every field counts', async (t) => {
  const changes: readonly (readonly [Partial<PacketIn>, string])[] = [
    [{ reason: 'no_match' }, 'reason'],
    [{ table: 9 }, 'table'],
    [{ cookie: 1n }, 'cookie'],
    [{ length: 36 }, 'length'],
    [{ metadata: 'reg0=0x1,in_port=1' }, 'metadata'],
    [{ paused: true }, 'paused'],
    [{ userdata: [1] }, 'userdata'],
    [{ frame: frame(63) }, 'ip.ttl ip.checksum'],
    [{ frame: frame(64).with(34, 9) }, 'payload'],
  ];
  for (const [change, fields] of changes)
    t.strictSame(inWords(three, three.with(1, packetIn(2, change))), [`different ${fields}`]);
});

void t.test(
  'controllers and bridges are compared one by one, and only those that listen',
  async (t) => {
    const toSeven = packetIn(1, { controller: 7 });
    t.strictSame(inWords([toSeven, ...three], [...three, toSeven]), []);
    t.strictSame(inWords(three, [...three, toSeven]), ['unexpected']);
    t.strictSame(
      inWords([...three, packetIn(1, { controller: 8 }), packetIn(1, { bridge: 'br1' })], three),
      [],
      'nobody listens there',
    );
  },
);

void t.test('in words', async (t) => {
  const [difference] = comparePacketIns(
    [bridge],
    three,
    three.with(0, packetIn(1, { paused: true, frame: frame(64).subarray(0, 34), userdata: [] })),
  ).differences;
  t.strictSame(
    [difference?.expected, difference?.actual],
    [
      'table 1, cookie 0x99, in_port=1 (action), userdata 01.ab: 02:00:00:00:00:0a > ' +
        '02:00:00:00:00:0b IPv4 10.0.0.1 > 10.0.0.2 protocol 200 length 1 ttl 64',
      'table 1, cookie 0x99, in_port=1 (action), waits, 34 of 35 bytes: 02:00:00:00:00:0a > ' +
        '02:00:00:00:00:0b type 0x0800 length 20',
    ],
  );
  t.equal(comparePacketIns([bridge], three, []).differences[0]?.actual, 'nothing');
});
