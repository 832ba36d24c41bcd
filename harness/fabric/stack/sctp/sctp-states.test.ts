// Goal: in each state a host does with each kind of chunk what RFC 9260 says, to the flag and the
// byte, and its timers do nothing that is not awaited any more. Method: one host, packets delivered
// to it one at a time; what it does in words, worked out by hand.
import t from 'tap';
import type { HostPlan } from '../../../domain/plan/host-plan.js';
import {
  decodeEthernet,
  encodeEthernet,
  etherTypes,
} from '../../../packet/protocols/link/ethernet.js';
import { decodeIpv4, encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { decodeSctp, encodeSctp } from '../../../packet/protocols/transport/sctp.js';
import {
  decodeChunks,
  encodeChunk,
  encodeInit,
  sctpChunkTypes as types,
  type SctpChunk,
} from '../../../packet/protocols/transport/sctp-chunk.js';
import { createHost, type VectorRandomness, type Effect, type Host } from '../host.js';
import { isTimerPending, receive, fireTimer } from '../host-stack.js';
import { startStimulus } from '../start-stimulus.js';

const eth0 = {
  name: 'eth0',
  port: 'p',
  mac: '02:00:00:00:00:01',
  ip: '10.0.0.1',
  prefixLength: 24,
};
const plan: HostPlan = {
  name: 'a',
  kind: 'pod',
  routes: [],
  interfaces: [eth0],
  listens: [{ protocol: 'SCTP', port: 9000 }],
};
const peer = { mac: '02:00:00:00:00:02', ip: '10.0.0.2' };
const draws: VectorRandomness = {
  identifier: 7,
  srcPort: 50_000,
  payload: Uint8Array.of(1, 2),
  sequences: { opener: 1000, answerer: 5000 },
};
const names = new Map<number, string>(Object.entries(types).map(([name, type]) => [type, name]));

/** A host that knows its peer's address. */
function host(sequences = draws.sequences): Host {
  const made = createHost(plan, { ...draws, sequences });
  made.neighbours.set(peer.ip, { kind: 'known', mac: peer.mac });
  return made;
}

interface Given {
  readonly type: keyof typeof types;
  readonly value?: readonly number[] | Uint8Array;
  /** 5000 by default: what the answerer has drawn. */
  readonly tag?: number;
  /** Theirs and ours. */
  readonly ports?: readonly [number, number];
}

/** What the host does about an SCTP packet. */
function put(to: Host, packet: Uint8Array): readonly Effect[] {
  return receive(
    to,
    eth0,
    encodeEthernet(
      { dst: eth0.mac, src: peer.mac, etherType: etherTypes.ipv4 },
      encodeIpv4({ src: peer.ip, dst: eth0.ip, protocol: ipProtocols.sctp, ttl: 60 }, packet),
    ),
  );
}

function on(
  to: Host,
  { type, value = [], tag = 5000, ports: [srcPort, dstPort] = [40_000, 9000] }: Given,
): readonly string[] {
  return inWords(
    put(
      to,
      encodeSctp(
        { srcPort, dstPort, verificationTag: tag },
        encodeChunk({ type: types[type], flags: 0, value: Uint8Array.from(value) }),
      ),
    ),
  );
}

/** As the one that has opened gets it. */
const answered = (
  to: Host,
  type: Given['type'],
  value: Given['value'] = [],
  tag = 1000,
): readonly string[] => on(to, { type, value, tag, ports: [9000, 50_000] });

/** `sends data/3 tag 5000: 0001…`, `wakes after 3 s`, or a note. */
function inWords(effects: readonly Effect[]): readonly string[] {
  return effects.map((effect) => {
    if (effect.kind === 'wake') return `wakes after ${effect.delayUs / 1_000_000} s`;
    if (effect.kind === 'note') return Object.values(effect.note).join(' ');
    const sctp = decodeSctp(
      decodeIpv4(decodeEthernet(effect.frame)?.payload ?? new Uint8Array())?.payload ??
        new Uint8Array(),
    );
    const [chunk] = decodeChunks(sctp?.payload ?? new Uint8Array()) ?? [];
    return (
      `sends ${chunk === undefined ? 'none' : chunkInWords(chunk)} tag ` +
      `${sctp?.header.verificationTag}, ${sctp?.header.srcPort} > ${sctp?.header.dstPort}`
    );
  });
}

function chunkInWords({ type, flags, value }: SctpChunk): string {
  return (
    names.get(type) +
    `/${flags}${value.length === 0 ? '' : ` ${Buffer.from(value).toString('hex')}`}`
  );
}

const between = '10.0.0.2 10.0.0.1';
const dropped = (why: string): string => `dropped ${why} ${between}`;
const outOfTurn = (type: Given['type']): string =>
  dropped(`SCTP chunk ${types[type]} out of its turn`);
const init = encodeInit({ initiateTag: 0x77, initialTsn: 0x1234 });
const cookie = [0, 0, 0, 0x77, 0, 0, 0x13, 0x88];
const initAck = (tag = 5000) =>
  encodeInit({ initiateTag: tag, initialTsn: 9 }, Uint8Array.of(9, 8, 7, 6));
const initHex = (tag: string, tsn: string) => `${tag}0001000000010001${tsn}`;

/** The answerer's end of an association that stands; our peer's tag is 0x77. */
function answering(): Host {
  const answerer = host();
  on(answerer, { type: 'cookieEcho', value: cookie });
  return answerer;
}

/** The opener's end, so many steps on. */
function opening(steps: number): Host {
  const opener = host();
  startStimulus(opener, { kind: 'sctp', from: 'a', to: peer.ip, port: 9000 });
  const answers: readonly (readonly [Given['type'], Given['value']])[] = [
    ['initAck', initAck()],
    ['cookieAck', []],
    ['sack', []],
  ];
  for (const [type, value] of answers.slice(0, steps)) answered(opener, type, value);
  return opener;
}

void t.test('the one that answers', async (t) => {
  const answerer = host();
  t.strictSame(on(answerer, { type: 'init', value: init, tag: 0 }), [
    'sends initAck/0 ' +
      `${initHex('00001388', '00001388')}0007000c${Buffer.from(cookie).toString('hex')} tag ` +
      '119, 9000 > 40000',
  ]);
  t.equal(answerer.associations.size, 0, 'it keeps nothing yet');
  t.strictSame(on(answerer, { type: 'cookieEcho', value: cookie }), [
    'connected answerer 10.0.0.2',
    'sends cookieAck/0 tag 119, 9000 > 40000',
  ]);
  t.match(
    [...answerer.associations.values()],
    [{ as: /^answerer$/, state: /^established$/, peerTag: 0x77, ownTag: 5000 }],
  );
  t.strictSame(
    on(answerer, { type: 'cookieEcho', value: cookie }),
    ['sends cookieAck/0 tag 119, 9000 > 40000'],
    'once more, if that was lost',
  );
  t.strictSame(
    on(answerer, { type: 'shutdownComplete' }),
    [outOfTurn('shutdownComplete')],
    'not yet',
  );
  t.strictSame(on(answerer, { type: 'data', value: [0, 0, 0x12, 0x34] }), [
    'received sctp 10.0.0.2 10.0.0.1 60',
    'sends sack/0 000012340001000000000000 tag 119, 9000 > 40000',
  ]);
  t.strictSame(
    on(answerer, { type: 'data', value: [1, 2, 3] }),
    [outOfTurn('data')],
    'too short for its number',
  );
  t.strictSame(on(answerer, { type: 'sack' }), [outOfTurn('sack')]);
  t.strictSame(on(answerer, { type: 'shutdown', value: [0, 0, 0, 0] }), [
    'sends shutdownAck/0 tag 119, 9000 > 40000',
    'wakes after 3 s',
  ]);
  t.strictSame(on(answerer, { type: 'sack' }), [outOfTurn('sack')], 'nor then');
  t.strictSame(on(answerer, { type: 'shutdownComplete' }), ['closed 10.0.0.2']);
  t.strictSame(on(answering(), { type: 'abort' }), ['reset 10.0.0.2']);
  t.strictSame(on(answering(), { type: 'data', tag: 77 }), [
    dropped('an SCTP packet with another verification tag'),
  ]);
});

void t.test('what belongs to no association', async (t) => {
  t.strictSame(
    on(host(), { type: 'abort' }),
    [],
    'is not answered where that would go on for ever',
  );
  t.strictSame(on(host(), { type: 'shutdownComplete' }), []);
  t.strictSame(on(host(), { type: 'init', value: init.subarray(1), tag: 0 }), [
    dropped('a broken INIT'),
  ]);
  t.strictSame(on(host(), { type: 'init', value: init, tag: 0, ports: [40_000, 9001] }), [
    dropped('nobody listens on SCTP port 9001'),
    'sends abort/0 tag 119, 9001 > 40000',
  ]);
  const sendUnexpected = (type: Given['type'], value: readonly number[]) =>
    t.strictSame(
      on(host(), { type, value, tag: 9 }),
      [dropped('an SCTP packet of no association'), 'sends abort/1 tag 9, 9000 > 40000'],
      type,
    );
  sendUnexpected('data', cookie);
  sendUnexpected('cookieEcho', [...cookie, 0]);
  t.strictSame(
    inWords(put(host(), Uint8Array.of(1, 2, 3))),
    [dropped('a broken SCTP packet')],
    'cut off',
  );
  t.strictSame(
    inWords(
      put(host(), encodeSctp({ srcPort: 1, dstPort: 2, verificationTag: 3 }, new Uint8Array())),
    ),
    [dropped('a broken SCTP packet')],
    'without a chunk',
  );
  t.strictSame(
    inWords(
      put(
        host(),
        encodeSctp({ srcPort: 1, dstPort: 2, verificationTag: 3 }, Uint8Array.of(1, 0, 0, 3)),
      ),
    ),
    [dropped('a broken SCTP packet')],
    'with one that is shorter than it says',
  );
});

void t.test('the one that opens', async (t) => {
  const opener = host();
  t.strictSame(
    inWords(startStimulus(opener, { kind: 'sctp', from: 'a', to: peer.ip, port: 9000 })),
    [`sends init/0 ${initHex('000003e8', '000003e8')} tag 0, 50000 > 9000`, 'wakes after 3 s'],
  );
  t.strictSame(answered(opener, 'initAck', initAck()), [
    'sends cookieEcho/0 09080706 tag 5000, 50000 > 9000',
    'wakes after 3 s',
  ]);
  t.strictSame(answered(opener, 'cookieAck'), [
    'connected opener 10.0.0.2',
    `sends data/3 000003e80000000000000000${'0102'} tag 5000, 50000 > 9000`,
    'wakes after 3 s',
  ]);
  t.strictSame(answered(opener, 'sack'), [
    'sends shutdown/0 00001387 tag 5000, 50000 > 9000',
    'wakes after 3 s',
  ]);
  t.strictSame(answered(opener, 'shutdownAck'), [
    'sends shutdownComplete/0 tag 5000, 50000 > 9000',
    'closed 10.0.0.2',
  ]);
  const steps: readonly Given['type'][] = ['initAck', 'cookieAck', 'sack', 'shutdownAck'];
  for (const [at, expected] of steps.entries()) {
    for (const type of [...steps, 'data'] as const)
      if (type !== expected)
        t.strictSame(
          answered(opening(at), type, type === 'initAck' ? initAck() : []),
          [outOfTurn(type)],
          `${type} where ${expected} is due`,
        );
  }
  t.strictSame(
    [0, 1, 2, 3].map((at) => answered(opening(at), 'abort')),
    [['refused 10.0.0.2'], ['reset 10.0.0.2'], ['reset 10.0.0.2'], ['reset 10.0.0.2']],
  );
  t.strictSame(
    answered(opening(0), 'initAck', init),
    [dropped('a broken INIT ACK')],
    'without a cookie',
  );
  t.strictSame(
    answered(opening(0), 'initAck', [1, 2, 3]),
    [dropped('a broken INIT ACK')],
    'cut off',
  );
  t.strictSame(
    inWords(startStimulus(host(), { kind: 'sctp', from: 'a', to: '192.0.2.1', port: 9000 })),
    ['dropped no route to 192.0.2.1 10.0.0.1 192.0.2.1'],
  );
});

void t.test('a tag of zero stands for none, and numbers wrap around', async (t) => {
  const zero = host({ opener: 0, answerer: 0 });
  t.match(inWords(startStimulus(zero, { kind: 'sctp', from: 'a', to: peer.ip, port: 9000 })), [
    new RegExp(`^sends init/0 ${initHex('00000001', '00000000')} tag 0`),
    'wakes',
  ]);
  answered(zero, 'initAck', initAck(), 1);
  answered(zero, 'cookieAck', [], 1);
  t.match(answered(zero, 'sack', [], 1), [/^sends shutdown\/0 ffffffff /, 'wakes']);
});

void t.test('what is not answered is sent again, after twice the time', async (t) => {
  const opener = host();
  const [, timer] = startStimulus(opener, {
    kind: 'sctp',
    from: 'a',
    to: peer.ip,
    port: 9000,
    transmissions: 4,
  });
  if (timer?.kind !== 'wake') return t.fail('no timer');
  const waits: (readonly string[])[] = [];
  let last = timer;
  for (let next: Effect | undefined = timer; next?.kind === 'wake' && waits.length < 5; ) {
    last = next;
    const effects: readonly Effect[] = fireTimer(opener, next.timer);
    waits.push(inWords(effects).slice(-1));
    next = effects.at(-1);
    if (waits.length === 1)
      t.strictSame(
        [isTimerPending(opener, last.timer), fireTimer(opener, last.timer)],
        [false, []],
        'a timer from before the second time',
      );
  }
  t.strictSame(waits, [
    ['wakes after 6 s'],
    ['wakes after 12 s'],
    ['wakes after 24 s'],
    ['timed-out 10.0.0.2'],
  ]);
  t.strictSame(
    [isTimerPending(opener, last.timer), fireTimer(opener, last.timer)],
    [false, []],
    'it is over',
  );
  const further = opening(1);
  t.strictSame(
    [isTimerPending(further, timer.timer), fireTimer(further, timer.timer)],
    [false, []],
    'that was answered',
  );
  const answerer = host();
  on(answerer, { type: 'cookieEcho', value: cookie });
  const nothingSent = { ...timer.timer, association: '10.0.0.1:9000 10.0.0.2:40000' };
  t.ok([...answerer.associations.keys()].includes(nothingSent.association));
  t.strictSame(
    [isTimerPending(answerer, nothingSent), fireTimer(answerer, nothingSent)],
    [false, []],
    'it waits for nothing',
  );
  return undefined;
});
