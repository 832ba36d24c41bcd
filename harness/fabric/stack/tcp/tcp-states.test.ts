/**
 * Goal: in each state a host does with each kind of segment what RFC 9293, section 3.10.7, says,
 * and its timers do nothing that is not awaited any more. Method: one host, segments delivered
 * to it one at a time; what it does in words, worked out by hand.
 */
import t from 'tap';
import type { HostPlan } from '../../../domain/plan/host-plan.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { dissect } from '../../../packet/dissect/dissect.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { createHost, listensOn, type Effect, type Host, type Timer } from '../host.js';
import { isTimerPending, receive, fireTimer } from '../host-stack.js';
import { startStimulus } from '../start-stimulus.js';
import { noteUnreachable } from '../note-unreachable.js';

const eth0 = {
  name: 'eth0',
  port: 'p',
  mac: '02:00:00:00:00:01',
  ip: '10.0.0.1',
  prefixLength: 24,
};
const plan: HostPlan = { name: 'a', kind: 'pod', routes: [], interfaces: [eth0] };
const peer = { mac: '02:00:00:00:00:02', ip: '10.0.0.2' };
const draws = {
  identifier: 7,
  srcPort: 50000,
  payload: Uint8Array.of(1, 2, 3, 4),
  sequences: { opener: 1000, answerer: 5000 },
};
const { SYN, ACK, FIN, RST, PSH } = tcpFlags;

/** A host that knows its peer's address. */
function host(): Host {
  const made = createHost(plan, draws);
  made.neighbours.set(peer.ip, { kind: 'known', mac: peer.mac });
  return made;
}

interface Given {
  readonly flags: number;
  readonly sequence: number;
  readonly acknowledgement?: number;
  readonly bytes?: number;
  /** Theirs and ours. */
  readonly ports?: readonly [number, number];
}

function carried(transport: Uint8Array, protocol: number = ipProtocols.tcp): Uint8Array {
  const packet = encodeIpv4({ src: peer.ip, dst: eth0.ip, protocol, ttl: 60 }, transport);
  return encodeEthernet({ dst: eth0.mac, src: peer.mac, etherType: etherTypes.ipv4 }, packet);
}

/** What the host does about a segment. */
function on(
  to: Host,
  {
    flags,
    sequence,
    acknowledgement = 0,
    bytes = 0,
    ports: [srcPort, dstPort] = [40000, 7],
  }: Given,
): readonly string[] {
  const header = {
    srcPort,
    dstPort,
    sequence,
    acknowledgement,
    flags,
    window: 0,
    urgentPointer: 0,
    options: new Uint8Array(),
  };
  return inWords(
    receive(
      to,
      eth0,
      carried(encodeTcp(header, new Uint8Array(bytes).fill(9), { src: peer.ip, dst: eth0.ip })),
    ),
  );
}

/** `sends PSH,ACK 5001 ack 105, 4 bytes`, `wakes after 1 s`, or a note. */
function inWords(effects: readonly Effect[]): readonly string[] {
  return effects.map((effect) => {
    switch (effect.kind) {
      case 'send': {
        const fields = new Map(dissect(effect.frame).map(({ name, value }) => [name, value]));
        const options = fields.get('tcp.options');
        return (
          `sends ${fields.get('tcp.flags')} ${fields.get('tcp.sequence')} ack ` +
          `${fields.get('tcp.acknowledgement')}, ${(fields.get('payload') ?? '').length / 2} ` +
          `bytes${options === undefined ? '' : `, options ${options}`}`
        );
      }
      case 'wake':
        return `wakes after ${effect.delayUs / 1_000_000} s`;
      case 'note':
        return Object.values(effect.note).join(' ');
    }
  });
}

/** Our side answers: a connection that stands, its next segment 5001, theirs 101. */
function answering(): Host {
  const answerer = host();
  on(answerer, { flags: SYN, sequence: 100 });
  on(answerer, { flags: ACK, sequence: 101, acknowledgement: 5001 });
  return answerer;
}

const between = '10.0.0.2 10.0.0.1';
const dropped = (why: string): string => `dropped ${why} ${between}`;

void t.test('a connection that is opened from outside', async (t) => {
  const answerer = host();
  t.strictSame(on(answerer, { flags: SYN, sequence: 100 }), [
    'sends SYN,ACK 5000 ack 101, 0 bytes, options 02040582',
    'wakes after 1 s',
  ]);
  t.strictSame(on(answerer, { flags: ACK, sequence: 101, acknowledgement: 5001 }), [
    'connected answerer 10.0.0.2',
  ]);
  t.strictSame(on(answerer, { flags: PSH | ACK, sequence: 101, acknowledgement: 5001, bytes: 3 }), [
    `received tcp ${between} 60`,
    'sends PSH,ACK 5001 ack 104, 3 bytes',
    'wakes after 1 s',
  ]);
  t.strictSame(
    on(answerer, { flags: FIN | ACK, sequence: 104, acknowledgement: 5004, bytes: 1 }),
    [`received tcp ${between} 60`, 'sends FIN,ACK 5004 ack 106, 0 bytes', 'wakes after 1 s'],
    'data and end in one',
  );
  t.strictSame(on(answerer, { flags: ACK, sequence: 106, acknowledgement: 5005 }), [
    'closed 10.0.0.2',
  ]);
  t.strictSame(
    on(answerer, { flags: ACK, sequence: 106, acknowledgement: 5005 }),
    [dropped('a segment of no connection'), 'sends RST 5005 ack 0, 0 bytes'],
    'then it is forgotten',
  );
});

void t.test('beside port 7 a host listens where its plan says, by one protocol', async (t) => {
  const listener = createHost(
    {
      ...plan,
      listens: [
        { protocol: 'TCP', port: 80 },
        { protocol: 'UDP', port: 53 },
      ],
    },
    draws,
  );
  listener.neighbours.set(peer.ip, { kind: 'known', mac: peer.mac });
  t.strictSame(
    (['TCP', 'UDP'] as const).map((protocol) =>
      [7, 53, 80].filter((port) => listensOn(listener, protocol, port)),
    ),
    [
      [7, 80],
      [7, 53],
    ],
  );
  t.match(on(listener, { flags: SYN, sequence: 100, ports: [40000, 80] })[0], /^sends SYN,ACK/);
  const datagram = encodeUdp({ srcPort: 4000, dstPort: 53 }, Uint8Array.of(7), {
    src: peer.ip,
    dst: eth0.ip,
  });
  t.strictSame(
    receive(listener, eth0, carried(datagram, ipProtocols.udp)).map(({ kind }) => kind),
    ['note', 'send'],
    'and echoes',
  );
});

void t.test(
  'of what goes no further the host is notified, and a connection that does not stand yet is over',
  async (t) => {
    const opener = host();
    startStimulus(opener, { kind: 'tcp', from: 'a', to: peer.ip, port: 7 });
    const from = (port: number) => ({ src: { ip: eth0.ip, port }, dst: { ip: peer.ip, port: 7 } });
    const left = (given: Host, protocol: number, ports: ReturnType<typeof from>) => [
      ...inWords(noteUnreachable(given, { protocol, ...ports }, 'so')),
      given.connections.size,
    ];
    t.strictSame(
      left(opener, ipProtocols.udp, from(50000)),
      ['unreachable 10.0.0.2 so', 1],
      'by another protocol',
    );
    t.strictSame(
      left(opener, ipProtocols.tcp, from(50001)),
      ['unreachable 10.0.0.2 so', 1],
      'of no connection',
    );
    t.strictSame(left(opener, ipProtocols.tcp, from(50000)), ['unreachable 10.0.0.2 so', 0]);
    t.strictSame(
      left(answering(), ipProtocols.tcp, {
        src: { ip: eth0.ip, port: 7 },
        dst: { ip: peer.ip, port: 40000 },
      }),
      ['unreachable 10.0.0.2 so', 1],
      'an established one continues',
    );
  },
);

void t.test('connections are distinguished by their ports', async (t) => {
  const both = answering();
  t.strictSame(on(both, { flags: SYN, sequence: 100, ports: [40001, 7] }), [
    'sends SYN,ACK 5000 ack 101, 0 bytes, options 02040582',
    'wakes after 1 s',
  ]);
  t.strictSame(on(both, { flags: RST, sequence: 101, ports: [40001, 7] }), ['reset 10.0.0.2']);
  t.strictSame(
    on(both, { flags: PSH | ACK, sequence: 101, acknowledgement: 5001, bytes: 1 }).length,
    3,
    'the first one stands',
  );
});

void t.test('segments that do not belong to a connection that stands', async (t) => {
  const good = { flags: PSH | ACK, sequence: 101, acknowledgement: 5001, bytes: 1 };
  const acknowledgement = 'sends ACK 5001 ack 101, 0 bytes';
  const cases: readonly (readonly [given: Given, ...does: readonly string[]])[] = [
    [{ ...good, sequence: 100 }, dropped('a segment outside the window'), acknowledgement],
    [{ ...good, sequence: 101 + 65_535 }, dropped('a segment outside the window'), acknowledgement],
    [{ ...good, sequence: 101 + 65_534 }, dropped('a segment ahead of its turn'), acknowledgement],
    [{ ...good, sequence: 102 }, dropped('a segment ahead of its turn'), acknowledgement],
    [{ flags: RST, sequence: 100 }, dropped('a segment outside the window')],
    [{ flags: RST, sequence: 101 }, 'reset 10.0.0.2'],
    [{ flags: RST, sequence: 102 }, dropped('a reset ahead of its turn'), acknowledgement],
    [{ flags: SYN, sequence: 101 }, dropped('a SYN in an established connection'), acknowledgement],
    [{ ...good, flags: PSH }, dropped('a segment that acknowledges nothing')],
    [
      { ...good, acknowledgement: 5002 },
      dropped('an acknowledgement of what was not sent'),
      acknowledgement,
    ],
    [
      { ...good, acknowledgement: 4000 },
      `received tcp ${between} 60`,
      'sends PSH,ACK 5001 ack 102, 1 bytes',
      'wakes after 1 s',
    ],
  ];
  for (const [given, ...does] of cases)
    t.strictSame(on(answering(), given), does, JSON.stringify(given));
  const waiting = answering();
  on(waiting, good);
  t.strictSame(
    on(waiting, { flags: ACK, sequence: 102, acknowledgement: 5001 }),
    [],
    'what was sent is still on its way',
  );
  t.strictSame(on(waiting, { flags: PSH | ACK, sequence: 102, acknowledgement: 5001, bytes: 1 }), [
    dropped('a segment that acknowledges too little'),
  ]);
  t.strictSame(inWords(receive(answering(), eth0, carried(new Uint8Array(4)))), [
    dropped('a broken TCP segment'),
  ]);
});

/** Our side opens: its SYN is on the way. */
function opening(): Host {
  const opener = host();
  startStimulus(opener, { kind: 'tcp', from: 'a', to: peer.ip, port: 7 });
  return opener;
}
const theirs = { ports: [7, 50000] } as const;

void t.test('what comes back for a SYN', async (t) => {
  t.strictSame(inWords(startStimulus(host(), { kind: 'tcp', from: 'a', to: peer.ip, port: 7 })), [
    'sends SYN 1000 ack 0, 0 bytes, options 02040582',
    'wakes after 1 s',
  ]);
  t.strictSame(inWords(startStimulus(host(), { kind: 'tcp', from: 'a', to: '8.8.8.8', port: 7 })), [
    'dropped no route to 8.8.8.8 10.0.0.1 8.8.8.8',
  ]);
  const [effect] = startStimulus(host(), { kind: 'tcp', from: 'a', to: peer.ip, port: 7, ttl: 3 });
  const fields =
    effect?.kind === 'send'
      ? Object.fromEntries(dissect(effect.frame).map(({ name, value }) => [name, value]))
      : {};
  t.match(fields, { 'ip.ttl': '3', 'tcp.window': '65535', 'tcp.urgent_pointer': '0' });
  const cases: readonly (readonly [given: Given, ...does: readonly string[]])[] = [
    [
      { ...theirs, flags: SYN | ACK, sequence: 100, acknowledgement: 1001 },
      'connected opener 10.0.0.2',
      'sends ACK 1001 ack 101, 0 bytes',
      'sends PSH,ACK 1001 ack 101, 4 bytes',
      'wakes after 1 s',
    ],
    [
      { ...theirs, flags: SYN | ACK, sequence: 100, acknowledgement: 1002 },
      dropped('no answer to the SYN'),
    ],
    [
      { ...theirs, flags: SYN, sequence: 100, acknowledgement: 1001 },
      dropped('no answer to the SYN'),
    ],
    [
      { ...theirs, flags: ACK, sequence: 100, acknowledgement: 1001 },
      dropped('no answer to the SYN'),
    ],
    [{ ...theirs, flags: RST | ACK, sequence: 0, acknowledgement: 1001 }, 'refused 10.0.0.2'],
    [
      { ...theirs, flags: RST | ACK, sequence: 0, acknowledgement: 1000 },
      dropped('no answer to the SYN'),
    ],
    [
      { ...theirs, flags: RST, sequence: 0, acknowledgement: 1001 },
      dropped('no answer to the SYN'),
    ],
  ];
  for (const [given, ...does] of cases)
    t.strictSame(on(opening(), given), does, JSON.stringify(given));
});

void t.test('the one that opened closes, and waits for the end of the other', async (t) => {
  /** Its data came back, and its FIN, 1005, is on the way. */
  const finishing = (): Host => {
    const opener = opening();
    on(opener, { ...theirs, flags: SYN | ACK, sequence: 100, acknowledgement: 1001 });
    t.strictSame(
      on(opener, { ...theirs, flags: PSH | ACK, sequence: 101, acknowledgement: 1005, bytes: 4 }),
      [`received tcp ${between} 60`, 'sends FIN,ACK 1005 ack 105, 0 bytes', 'wakes after 1 s'],
    );
    return opener;
  };
  const end = { ...theirs, flags: FIN | ACK, sequence: 105, acknowledgement: 1006 };
  const closed = ['sends ACK 1006 ack 106, 0 bytes', 'closed 10.0.0.2'];
  const atOnce = finishing();
  t.strictSame(on(atOnce, end), closed);
  t.strictSame(
    on(atOnce, end),
    [dropped('a segment outside the window'), 'sends ACK 1006 ack 106, 0 bytes'],
    'TIME-WAIT: the end comes again',
  );
  t.strictSame(
    on(atOnce, { ...theirs, flags: ACK, sequence: 106, acknowledgement: 1006 }),
    [],
    'TIME-WAIT: nothing is left to do',
  );
  t.strictSame(
    on(atOnce, { ...theirs, flags: FIN | ACK, sequence: 106, acknowledgement: 1006 }),
    [],
    'TIME-WAIT: there is no second end',
  );
  const inTwo = finishing();
  t.strictSame(on(inTwo, { ...theirs, flags: ACK, sequence: 105, acknowledgement: 1006 }), []);
  t.strictSame(on(inTwo, end), closed);
  const late = finishing();
  t.strictSame(
    on(late, { ...theirs, flags: ACK, sequence: 105, acknowledgement: 1006, bytes: 2 }),
    [`received tcp ${between} 60`],
    'it still reads',
  );
});

void t.test('data for a connection of a proxy that nobody reads any more', async (t) => {
  const proxied = createHost(
    { ...plan, proxies: [{ at: { protocol: 'TCP', port: 7 }, to: [], dialMs: [], udpIdleMs: 1 }] },
    draws,
  );
  proxied.neighbours.set(peer.ip, { kind: 'known', mac: peer.mac });
  on(proxied, { flags: SYN, sequence: 100 });
  t.strictSame(
    on(proxied, { flags: ACK, sequence: 101, acknowledgement: 5001 }),
    ['sends FIN,ACK 5001 ack 101, 0 bytes', 'wakes after 1 s'],
    'it has no endpoint',
  );
  t.strictSame(
    on(proxied, { flags: PSH | ACK, sequence: 101, acknowledgement: 5001, bytes: 1 }),
    ['sends RST 5001 ack 0, 0 bytes'],
    'even a single byte',
  );
  t.equal(proxied.connections.size, 0);
});

void t.test('who talks by a connection that does not stand yet', async (t) => {
  const opener = host();
  startStimulus(opener, { kind: 'open', from: 'a', to: peer.ip, port: 7, connection: 'c' });
  t.strictSame(
    inWords(
      startStimulus(opener, { kind: 'talk', from: 'a', to: peer.ip, port: 7, connection: 'c' }),
    ),
    ['dropped no connection c stands  '],
  );
});

void t.test('timers', async (t) => {
  const opener = host();
  const [, first] = startStimulus(opener, { kind: 'tcp', from: 'a', to: peer.ip, port: 7 });
  if (first?.kind !== 'wake') return t.fail('no timer');
  const other = (changes: Partial<Extract<Timer, { kind: 'retransmission' }>>): Timer => ({
    kind: 'retransmission',
    connection: '10.0.0.1:50000 10.0.0.2:7',
    sequence: 1000,
    transmissions: 1,
    ...changes,
  });
  const idle = [
    other({ connection: '10.0.0.1:1 10.0.0.2:2' }),
    other({ sequence: 1001 }),
    other({ transmissions: 2 }),
  ];
  t.strictSame(
    idle.map((timer) => [isTimerPending(opener, timer), fireTimer(opener, timer)]),
    idle.map(() => [false, []]),
    'of another connection, segment or transmission',
  );
  t.strictSame(first.timer, other({}));
  t.ok(isTimerPending(opener, first.timer));
  t.strictSame(inWords(fireTimer(opener, first.timer)), [
    'sends SYN 1000 ack 0, 0 bytes, options 02040582',
    'wakes after 2 s',
  ]);
  t.notOk(isTimerPending(opener, first.timer), 'once');
  on(opener, { ...theirs, flags: SYN | ACK, sequence: 100, acknowledgement: 1001 });
  on(opener, { ...theirs, flags: PSH | ACK, sequence: 101, acknowledgement: 1005, bytes: 4 });
  on(opener, { ...theirs, flags: ACK, sequence: 105, acknowledgement: 1006 });
  t.strictSame(fireTimer(opener, other({ sequence: 1005 })), [], 'all is acknowledged');
  return undefined;
});
