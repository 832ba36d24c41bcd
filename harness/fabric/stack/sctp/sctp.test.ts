/**
 * Goal: hosts speak SCTP as RFC 9260 asks: a handshake with a cookie that the answerer keeps
 * nothing for, one message, an orderly shutdown, ABORT where nobody listens. Method: two hosts on a
 * wire that is a function, whole conversations in words, then with a packet lost or changed at each
 * place.
 */
import t, { type Test } from 'tap';
import type { HostPlan } from '../../../domain/plan/host-plan.js';
import { decodeEthernet } from '../../../packet/protocols/link/ethernet.js';
import { decodeIpv4 } from '../../../packet/protocols/ip/ipv4.js';
import { decodeSctp, encodeSctp } from '../../../packet/protocols/transport/sctp.js';
import {
  decodeChunks,
  decodeInit,
  encodeChunk,
  encodeInit,
  sctpChunkTypes,
} from '../../../packet/protocols/transport/sctp-chunk.js';
import {
  createHost,
  memoriesOf,
  memoryOf,
  type Effect,
  type Host,
  type KnownNeighbours,
  type Timer,
} from '../host.js';
import { receiveSctp } from './sctp.js';
import { isTimerPending, fireTimer } from '../host-stack.js';
import { startStimulus } from '../start-stimulus.js';

const draws = {
  identifier: 7,
  srcPort: 50_000,
  payload: Uint8Array.of(1, 2, 3, 4, 5),
  sequences: { opener: 1000, answerer: 5000 },
};
const plan = (name: string, last: number, port: number): HostPlan => ({
  name,
  kind: 'pod',
  routes: [],
  interfaces: [
    {
      name: 'eth0',
      port: name,
      mac: `02:00:00:00:00:0${last}`,
      ip: `10.0.0.${last}`,
      prefixLength: 24,
    },
  ],
  listens: [{ protocol: 'SCTP', port }],
});
const known: KnownNeighbours = new Map([
  ['a', new Map([['10.0.0.2', '02:00:00:00:00:02']])],
  ['b', new Map([['10.0.0.1', '02:00:00:00:00:01']])],
]);
const names = new Map<number, string>(
  Object.entries(sctpChunkTypes).map(([name, type]) => [type, name]),
);

/**
 * What the wire makes of the nth packet of a conversation, counted from 1: the SCTP packets that
 * come out of it.
 */
type Wire = (packet: Uint8Array, nth: number) => readonly Uint8Array[];
const faithful: Wire = (packet) => [packet];

/** Everything that happens, until nobody waits for anything. */
function converse(
  t: Test,
  wire: Wire = faithful,
  listens = 9000,
  transmissions?: number,
): readonly string[] {
  const hosts = {
    a: createHost(plan('a', 1, 1), draws, { memory: memoryOf(memoriesOf(known), 'a') }),
    b: createHost(plan('b', 2, listens), draws, { memory: memoryOf(memoriesOf(known), 'b') }),
  };
  const said: string[] = [];
  const timers: { readonly host: Host; readonly timer: Timer }[] = [];
  let sent = 0;
  const apply = (host: Host, effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'wake') timers.push({ host, timer: effect.timer });
      else if (effect.kind === 'note') said.push(`${host.plan.name}: ${effect.note.kind}`);
      else {
        const ip = decodeIpv4(decodeEthernet(effect.frame)?.payload ?? new Uint8Array());
        if (ip === undefined) throw new Error('no IPv4');
        const other = host === hosts.a ? hosts.b : hosts.a;
        said.push(`${host.plan.name} ${inWords(ip.payload)}`);
        for (const packet of wire(ip.payload, ++sent))
          apply(other, receiveSctp(other, ip.header, packet));
      }
    }
  };
  apply(
    hosts.a,
    startStimulus(hosts.a, {
      kind: 'sctp',
      from: 'a',
      to: '10.0.0.2',
      port: 9000,
      ...(transmissions === undefined ? {} : { transmissions }),
    }),
  );
  for (let next = timers.shift(); next !== undefined; next = timers.shift())
    if (isTimerPending(next.host, next.timer)) apply(next.host, fireTimer(next.host, next.timer));
  t.same(
    [hosts.a.associations.size, hosts.b.associations.size],
    [
      0,
      said.includes('b: connected') &&
      !said.includes('b: closed') &&
      !said.includes('b: timed-out') &&
      !said.includes('b: reset')
        ? 1
        : 0,
    ],
    'nothing is left but where the other side never came back',
  );
  return said;
}

function inWords(bytes: Uint8Array): string {
  const sctp = decodeSctp(bytes);
  const [chunk] = decodeChunks(sctp?.payload ?? new Uint8Array()) ?? [];
  return `${names.get(chunk?.type ?? -1) ?? '?'} tag ${sctp?.header.verificationTag}`;
}

const whole = [
  'a init tag 0',
  'b initAck tag 1000',
  'a cookieEcho tag 5000',
  'b: connected',
  'b cookieAck tag 1000',
  'a: connected',
  'a data tag 5000',
  'b: received',
  'b sack tag 1000',
  'a shutdown tag 5000',
  'b shutdownAck tag 1000',
  'a shutdownComplete tag 5000',
  'b: closed',
  'a: closed',
];

void t.test('one message, from the first INIT to the end', async (t) => {
  t.strictSame(converse(t), whole);
  t.strictSame(converse(t, faithful, 9001), [
    'a init tag 0',
    'b: dropped',
    'b abort tag 1000',
    'a: refused',
  ]);
});

void t.test('what is lost once is sent again, and everything comes to its end', async (t) => {
  for (let lost = 1; lost <= 8; lost++) {
    const said = converse(t, (packet, nth) => (nth === lost ? [] : [packet]));
    for (const end of ['a: connected', 'b: connected', 'a: closed', 'b: closed'])
      t.equal(said.filter((line) => line === end).length, 1, `without packet ${lost}, ${end}`);
    t.ok(said.includes('b: received'));
  }
  t.strictSame(
    converse(t, () => [], 9000, 1),
    ['a init tag 0', 'a: timed-out'],
  );
  t.equal(
    converse(t, () => []).filter((line) => line === 'a init tag 0').length,
    9,
    'as often as Linux does',
  );
});

void t.test('what is broken or of another association is not taken', async (t) => {
  const changed =
    (change: (packet: Uint8Array) => Uint8Array): Wire =>
    (packet, nth) =>
      nth === 3 ? [change(packet)] : [packet];
  t.match(
    converse(
      t,
      changed((packet) => packet.with(packet.length - 1, (packet[packet.length - 1] ?? 0) ^ 1)),
    ),
    [
      'a init tag 0',
      'b initAck tag 1000',
      'a cookieEcho tag 5000',
      'b: dropped',
      'a cookieEcho tag 5000',
      'b: connected',
    ],
    'a wrong checksum',
  );
  const withTag = (packet: Uint8Array) => {
    const sctp = decodeSctp(packet);
    return encodeSctp(
      { srcPort: 50_000, dstPort: 9000, verificationTag: 77 },
      sctp?.payload ?? new Uint8Array(),
    );
  };
  t.match(
    converse(t, (packet, nth) => (nth === 5 ? [withTag(packet)] : [packet])).slice(6, 10),
    ['a data tag 5000', 'b: dropped', 'a data tag 5000', 'b: received'],
    'another tag',
  );
  const restartedHost = createHost(plan('b', 2, 9000), draws, {
    memory: memoryOf(memoriesOf(known), 'b'),
  });
  const header = {
    src: '10.0.0.1',
    dst: '10.0.0.2',
    ttl: 64,
    protocol: 132,
    identification: 0,
    flags: 0,
    fragmentOffset: 0,
    tos: 0,
    options: new Uint8Array(),
  };
  const effects = receiveSctp(
    restartedHost,
    header,
    encodeSctp(
      { srcPort: 5, dstPort: 9000, verificationTag: 9 },
      encodeChunk({ type: sctpChunkTypes.data, flags: 3, value: new Uint8Array(16) }),
    ),
  );
  t.equal(effects.length, 2, 'a packet of no association is reported, and answered');
  const abort =
    effects.flatMap((effect) =>
      effect.kind === 'send'
        ? [
            decodeIpv4(decodeEthernet(effect.frame)?.payload ?? new Uint8Array())?.payload ??
              new Uint8Array(),
          ]
        : [],
    )[0] ?? new Uint8Array();
  t.equal(inWords(abort), 'abort tag 9', 'with its own tag, as flag T says');
  t.equal(decodeChunks(abort.subarray(12))?.[0]?.flags, 1);
});

void t.test('chunks', async (t) => {
  const chunk = { type: 0, flags: 3, value: Uint8Array.of(1, 2, 3) };
  t.same(encodeChunk(chunk), Uint8Array.of(0, 3, 0, 7, 1, 2, 3, 0), 'padded, and not counted');
  t.same(
    decodeChunks(Uint8Array.of(...encodeChunk(chunk), ...encodeChunk({ ...chunk, type: 11 }))),
    [chunk, { ...chunk, type: 11 }],
  );
  t.equal(decodeChunks(Uint8Array.of(1, 0, 0)), undefined);
  t.equal(decodeChunks(Uint8Array.of(1, 0, 0, 3)), undefined, 'shorter than its header');
  t.equal(decodeChunks(Uint8Array.of(1, 0, 0, 9, 0, 0, 0, 0)), undefined, 'longer than the packet');
  const init = { initiateTag: 0xdeadbeef, initialTsn: 0xfffffffe };
  t.same(decodeInit(encodeInit(init)), init);
  t.same(decodeInit(encodeInit(init, Uint8Array.of(9, 8, 7, 6))), {
    ...init,
    cookie: Uint8Array.of(9, 8, 7, 6),
  });
  t.equal(decodeInit(new Uint8Array(15)), undefined);
});
