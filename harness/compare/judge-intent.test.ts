// Goal: L0's promises are held against everything that a host noted, and against nothing else.
// Method: a promise that is kept, and then one note more, less or otherwise; what is reported is
// golden.
import t from 'tap';
import type { Intent } from '../domain/intent.js';
import type { HostNote } from '../domain/observation.js';
import type { FrameSpec, Stimulus } from '../domain/test-vector.js';
import { judgeIntent } from './judge-intent.js';

type Note = HostNote extends infer Each
  ? Each extends HostNote
    ? Omit<Each, 'timeUs'>
    : never
  : never;
const judged = (intent: Intent, stimulus: Stimulus, ...notes: readonly Note[]) =>
  judgeIntent(intent, stimulus, {
    frames: [],
    notes: notes.map((note): HostNote => ({ ...note, timeUs: 0 })),
  })?.actual ?? 'kept';
const [a, b] = ['10.0.0.1', '10.0.0.2'];
const received = (
  host: string,
  src: string,
  what: 'echo-request' | 'echo-reply' | 'udp' | 'tcp' | 'sctp',
): Note => ({ kind: 'received', host, what, src, dst: '', ttl: 64 });
const resolved = (host: string): Note => ({ kind: 'resolved', host, ip: b, mac: 'm' });
const unresolved = (host: string): Note => ({ kind: 'unresolved', host, ip: b });
const dropped = (host: string, src = a): Note => ({
  kind: 'dropped',
  host,
  why: 'odd',
  src,
  dst: '',
});
const written = (payload: FrameSpec['payload']): Stimulus => ({
  kind: 'frame',
  from: 'a',
  what: '',
  frame: { src: '', dst: '', payload },
});
const echo = written({ kind: 'echo-request', src: a, dst: b, ttl: 64 });
const arp = written({ kind: 'arp', op: 'request', sha: '', spa: '', tha: '', tpa: '' });
const tcp: Stimulus = { kind: 'tcp', from: 'a', to: b, port: 7 };
const roundTrip: Intent = { kind: 'round-trip', to: 'b', source: a };

void t.test('the answer comes from the address that was written to', (t) => {
  const udp: Stimulus = { kind: 'udp', from: 'a', to: b, port: 7 };
  t.equal(judged(roundTrip, udp, received('b', a, 'udp'), received('a', b, 'udp')), 'kept');
  t.equal(
    judged(roundTrip, echo, received('b', a, 'echo-request'), received('a', b, 'echo-reply')),
    'kept',
    'also where it was written past the stack',
  );
  t.equal(
    judged(
      roundTrip,
      echo,
      received('b', a, 'echo-request'),
      received('a', '10.0.0.9', 'echo-reply'),
    ),
    'a got an echo reply from 10.0.0.9',
  );
  t.equal(
    judged(
      roundTrip,
      written({ kind: 'other', etherType: 0, hex: '' }),
      received('b', a, 'udp'),
      received('a', b, 'udp'),
    ),
    'a got a UDP datagram from 10.0.0.2',
    'a frame without an address has no answer',
  );
  t.end();
});

void t.test('connections', (t) => {
  const whole: readonly Note[] = [
    { kind: 'connected', host: 'a', as: 'opener', peer: b },
    { kind: 'connected', host: 'b', as: 'answerer', peer: a },
    received('b', a, 'tcp'),
    received('a', b, 'tcp'),
    { kind: 'closed', host: 'a', peer: b },
    { kind: 'closed', host: 'b', peer: a },
  ];
  t.equal(judged(roundTrip, tcp, ...whole), 'kept');
  t.equal(
    judged(roundTrip, tcp, ...whole, resolved('c'), unresolved('c')),
    'kept',
    'others may ask for addresses',
  );
  const strangers: readonly (readonly [note: Note, said: string])[] = [
    [{ kind: 'connected', host: 'c', as: 'opener', peer: b }, 'c has a connection to 10.0.0.2'],
    [{ kind: 'closed', host: 'c', peer: b }, 'c closed its connection with 10.0.0.2'],
    [{ kind: 'refused', host: 'c', peer: b }, 'c got a reset from 10.0.0.2'],
    [{ kind: 'reset', host: 'c', peer: b }, 'c got a reset from 10.0.0.2'],
    [{ kind: 'timed-out', host: 'c', peer: b }, 'c got no answer from 10.0.0.2'],
  ];
  for (const [note, said] of strangers)
    t.equal(judged(roundTrip, tcp, ...whole, note), said, 'nobody else has one');
  for (const [note, said] of strangers)
    t.equal(
      judged({ kind: 'denied', why: 'policy' }, tcp, note),
      note.kind === 'timed-out' ? 'kept' : said,
      'and where it is denied nobody has',
    );
  t.equal(
    judged(
      roundTrip,
      tcp,
      { kind: 'timed-out', host: 'a', peer: b },
      { kind: 'closed', host: 'c', peer: b },
    ),
    'c closed its connection with 10.0.0.2',
    'that is reported first',
  );
  t.equal(judged(roundTrip, tcp, ...whole.slice(1)), 'a saw none');
  t.equal(
    judged(
      roundTrip,
      tcp,
      ...whole.with(0, { kind: 'connected', host: 'a', as: 'answerer', peer: b }),
    ),
    'a has a connection from 10.0.0.2',
    'each end in its part',
  );
  t.equal(judged(roundTrip, tcp, ...whole.slice(0, 5)), 'b saw it closed 0 times');
  const outcomeOf = (by: 'opener' | 'answerer', host: string) =>
    judged(
      { ...roundTrip, interjection: { kind: 'arrives', why: 'so' } },
      { ...tcp, interjection: { by, segment: 'syn-fin' } },
      ...whole,
      dropped(host),
    );
  t.strictSame(
    [
      outcomeOf('opener', 'b'),
      outcomeOf('opener', 'a'),
      outcomeOf('answerer', 'a'),
      outcomeOf('answerer', 'b'),
    ],
    ['kept', 'a dropped it: odd', 'kept', 'b dropped it: odd'],
    'it arrives at the other end',
  );
  t.end();
});

void t.test('connections that stay open', (t) => {
  const [open, talk] = (['open', 'talk'] as const).map(
    (kind): Stimulus => ({ kind, from: 'a', to: b, port: 7, connection: 'c' }),
  );
  if (open === undefined || talk === undefined) return;
  const stands: readonly Note[] = [
    { kind: 'connected', host: 'a', as: 'opener', peer: b },
    { kind: 'connected', host: 'b', as: 'answerer', peer: a },
  ];
  const said: readonly Note[] = [received('b', a, 'tcp'), received('a', b, 'tcp')];
  t.equal(judged(roundTrip, open, ...stands), 'kept');
  t.equal(
    judged(roundTrip, open, ...stands, { kind: 'closed', host: 'a', peer: b }),
    'a saw it closed 1 times',
  );
  t.equal(judged(roundTrip, open, ...stands.slice(1)), 'a saw none');
  t.equal(judged(roundTrip, talk, ...said), 'kept');
  t.equal(judged(roundTrip, talk, { kind: 'timed-out', host: 'a', peer: b }), 'no host got it');
  t.equal(judged(roundTrip, talk, ...said.slice(0, 1)), 'a got no answer');
  t.equal(
    judged(roundTrip, talk, said[0] ?? dropped('a'), received('a', '10.0.0.9', 'tcp')),
    'a got data of a TCP connection from 10.0.0.9',
    'from the one that was written to',
  );
  t.equal(
    judged({ kind: 'denied', why: 'policy' }, talk, ...said.slice(0, 1)),
    'b got data of a TCP connection from 10.0.0.1',
  );
  t.end();
});

void t.test('connections of a proxy in the place of others', (t) => {
  const judgementOf = (intent: Intent, stimulus: Stimulus, ...notes: readonly Note[]) =>
    judgeIntent(intent, stimulus, {
      frames: [],
      notes: notes.map((note): HostNote => ({ ...note, timeUs: 0 })),
    });
  const relayed = (host = 'w', client = a): Note => ({ kind: 'relayed', host, client, to: b });
  const udp: Stimulus = { kind: 'udp', from: 'a', to: b, port: 7 };
  const calls: Stimulus = {
    kind: 'calls',
    protocol: 'UDP',
    from: 'a',
    to: b,
    port: 7,
    count: 2,
    everyMs: 1,
  };
  const round = [received('b', a, 'udp'), received('a', b, 'udp')];
  const promised: Intent = { ...roundTrip, relay: { by: 'w', client: a } };
  t.equal(judgementOf(promised, udp, relayed(), ...round), undefined);
  t.match(judgementOf(promised, udp, ...round), {
    expected: 'w opens a connection of its own for each of 10.0.0.1',
    actual: 'it has opened 0 for 1',
  });
  t.match(judgementOf(promised, udp, relayed(), relayed(), ...round), {
    actual: 'it has opened 2 for 1',
  });
  t.match(judgementOf(promised, calls, relayed(), ...round, ...round), {
    actual: 'it has opened 1 for 2',
  });
  t.match(judgementOf(promised, calls, relayed(), relayed(), ...round), undefined);
  t.match(judgementOf(promised, udp, relayed('x'), ...round), {
    actual: 'x has a connection of its own to 10.0.0.2 for 10.0.0.1',
  });
  t.match(judgementOf(promised, udp, relayed('w', b), ...round), {
    actual: 'w has a connection of its own to 10.0.0.2 for 10.0.0.2',
  });
  for (const intent of [roundTrip, { kind: 'denied', why: 'policy' }] as const)
    t.match(judgementOf(intent, udp, relayed(), ...round), {
      expected: 'no host opens a connection in the place of another',
      actual: 'w has a connection of its own to 10.0.0.2 for 10.0.0.1',
    });
  t.end();
});

void t.test('associations', (t) => {
  const sctp: Stimulus = { kind: 'sctp', from: 'a', to: b, port: 9000 };
  const stands: readonly Note[] = [
    { kind: 'connected', host: 'a', as: 'opener', peer: b },
    { kind: 'connected', host: 'b', as: 'answerer', peer: a },
    { kind: 'closed', host: 'a', peer: b },
    { kind: 'closed', host: 'b', peer: a },
  ];
  const message = received('b', a, 'sctp');
  t.equal(judged(roundTrip, sctp, ...stands, message, resolved('c')), 'kept');
  t.equal(judged(roundTrip, sctp, ...stands.slice(1), message), 'a saw none');
  t.equal(judged(roundTrip, sctp, ...stands), 'no host got what a sent');
  t.equal(judged(roundTrip, sctp, ...stands, message, message), 'b got it 2 times');
  t.equal(
    judged(roundTrip, sctp, ...stands, received('c', a, 'sctp')),
    'c got a message of an SCTP association from 10.0.0.1',
  );
  t.equal(
    judged(roundTrip, sctp, ...stands, received('b', '10.0.0.9', 'sctp')),
    'b got a message of an SCTP association from 10.0.0.9',
  );
  t.end();
});

void t.test(
  'the way is held to what was promised of it, for datagrams and for connections',
  (t) => {
    const intent: Intent = {
      ...roundTrip,
      path: [
        {
          node: 'n1',
          ports: ['up'],
          crossings: [{ direction: 'out', port: 'up', src: a, dst: b }],
        },
      ],
    };
    const connection: readonly Note[] = [
      { kind: 'connected', host: 'a', as: 'opener', peer: b },
      { kind: 'connected', host: 'b', as: 'answerer', peer: a },
      { kind: 'closed', host: 'a', peer: b },
      { kind: 'closed', host: 'b', peer: a },
    ];
    const leavesPath = 'n1, step 1 of the way: nothing more';
    t.equal(
      judged(intent, echo, received('b', a, 'echo-request'), received('a', b, 'echo-reply')),
      leavesPath,
    );
    t.equal(judged(intent, { ...tcp, kind: 'probe' }, ...connection), leavesPath);
    t.equal(
      judged(intent, { ...tcp, kind: 'probe' }, ...connection.slice(1)),
      'a saw none',
      'the connection comes first',
    );
    t.end();
  },
);

void t.test('what is delivered and has no answer', (t) => {
  const judgementOf = (...notes: readonly Note[]) =>
    judged({ kind: 'delivered', to: 'b', source: a, why: 'so' }, echo, ...notes);
  const arrived = received('b', a, 'echo-request');
  t.equal(
    judgementOf(resolved('c'), arrived, unresolved('c')),
    'kept',
    'others may ask for addresses',
  );
  t.strictSame([judgementOf(), judgementOf(resolved('c'))], ['no host got it', 'no host got it']);
  t.equal(judgementOf(dropped('b')), 'b dropped it: odd');
  t.equal(judgementOf(received('c', a, 'udp')), 'c got a UDP datagram from 10.0.0.1');
  t.equal(judgementOf(received('b', '10.0.0.9', 'udp')), 'b got a UDP datagram from 10.0.0.9');
  for (const [more, said] of [
    [arrived, 'b got an echo request from 10.0.0.1'],
    [dropped('b'), 'b dropped it: odd'],
    [received('a', b, 'echo-reply'), 'a got an echo reply from 10.0.0.2'],
    [{ kind: 'reset', host: 'a', peer: b }, 'a got a reset from 10.0.0.2'],
  ] as const) {
    t.equal(judgementOf(arrived, more), `b got an echo request from 10.0.0.1; ${said}`);
  }
  t.end();
});

void t.test('refusals', (t) => {
  const refused: Intent = { kind: 'refused', to: 'b', source: a, why: 'closed' };
  const reset = (kind: 'reset' | 'refused'): Note => ({ kind, host: 'a', peer: b });
  const judgementOf = (...notes: readonly Note[]) => judged(refused, tcp, ...notes);
  t.strictSame(
    [judgementOf(dropped('b'), reset('refused')), judgementOf(dropped('b'), reset('reset'))],
    ['kept', 'kept'],
  );
  t.equal(
    judgementOf(dropped('b'), reset('refused'), reset('reset')),
    'a got a reset from 10.0.0.2; a got a reset from 10.0.0.2',
  );
  t.equal(
    judgementOf(dropped('b', '10.0.0.9'), reset('refused')),
    'b dropped it: odd',
    'from another address',
  );
  t.equal(judgementOf(dropped('b'), reset('refused'), resolved('c')), 'kept');
  t.equal(
    judgementOf(dropped('b'), reset('refused'), received('c', a, 'udp')),
    'c got a UDP datagram from 10.0.0.1',
  );
  t.equal(
    judgementOf(dropped('b'), reset('refused'), { kind: 'timed-out', host: 'a', peer: b }),
    'a got no answer from 10.0.0.2',
  );
  t.end();
});

void t.test('ARP', (t) => {
  const resolves: Intent = { kind: 'resolves', ip: b, mac: 'm' };
  const asks: Stimulus = { kind: 'arp', from: 'a', target: b };
  t.equal(judged(resolves, asks, received('a', b, 'udp'), resolved('a')), 'kept');
  t.equal(judged(resolves, asks, unresolved('a'), resolved('a')), 'no host answered', 'in time');
  t.equal(judged(resolves, asks, resolved('a'), unresolved('a')), 'a got 2 answers');
  const denied: Intent = { kind: 'denied', why: 'nobody has it' };
  t.strictSame(
    [asks, arp].map((stimulus) => judged(denied, stimulus, resolved('a'))),
    ['a learned that 10.0.0.2 is at m', 'a learned that 10.0.0.2 is at m'],
  );
  t.equal(
    judged(denied, asks, resolved('c'), dropped('a'), unresolved('a')),
    'kept',
    'others may learn, and it may learn of others',
  );
  t.equal(judged(denied, echo, resolved('a')), 'kept', 'where it did not ask, it may learn');
  t.end();
});

void t.test('what ends at a proxy', (t) => {
  const intent: Intent = { kind: 'abandoned', by: 'n', why: 'so' };
  const [probe, udp, open, talk] = [
    { kind: 'probe', from: 'a', to: b, port: 7 },
    { kind: 'udp', from: 'a', to: b, port: 7 },
    { kind: 'open', from: 'a', to: b, port: 7, connection: 'c' },
    { kind: 'talk', from: 'a', to: b, port: 7, connection: 'c' },
  ] as const;
  const connected: Note = { kind: 'connected', host: 'a', as: 'opener', peer: b };
  const [closed, reset]: readonly Note[] = [
    { kind: 'closed', host: 'a', peer: b },
    { kind: 'reset', host: 'a', peer: b },
  ];
  const relayed = (host: string): Note => ({ kind: 'relayed', host, client: a, to: '10.0.0.3' });
  if (closed === undefined || reset === undefined) return;
  for (const stimulus of [tcp, probe, open]) {
    t.equal(judged(intent, stimulus, connected, closed), 'kept');
    t.equal(
      judged(intent, stimulus, connected, reset, dropped('c'), resolved('n')),
      'kept',
      'by a reset as well, and what a host does not know it drops',
    );
    t.equal(judged(intent, stimulus, connected, reset, dropped('a')), 'kept', 'whoever drops it');
    t.equal(
      judged(intent, stimulus, connected, reset, {
        kind: 'unreachable',
        host: 'a',
        peer: b,
        why: 'port',
      }),
      'a got an ICMP error for 10.0.0.2: port',
      'it is taken',
    );
    t.equal(
      judged(intent, stimulus, connected),
      'a saw 1 connections stand, and 0 end',
      'it does not stay',
    );
    t.equal(
      judged(intent, stimulus, closed),
      'a saw 0 connections stand, and 1 end',
      'the proxy takes it',
    );
    t.equal(
      judged(intent, stimulus, connected, closed, reset),
      'a saw 1 connections stand, and 2 end',
    );
    t.equal(
      judged(intent, stimulus, relayed('n'), connected, closed),
      'n has a connection of its own to 10.0.0.3 for 10.0.0.1',
      'nobody has it behind the proxy',
    );
    t.equal(
      judged(intent, stimulus, { kind: 'refused', host: 'a', peer: b }),
      'a got a reset from 10.0.0.2',
      'it is not refused',
    );
    t.equal(
      judged(intent, stimulus, connected, { kind: 'timed-out', host: 'a', peer: b }),
      'a got no answer from 10.0.0.2',
    );
  }
  t.equal(judged(intent, talk, closed), 'kept', 'one that stood');
  t.equal(judged(intent, talk, connected, closed), 'a saw 1 connections stand, and 1 end');
  t.equal(judged(intent, talk), 'a saw 0 connections stand, and 0 end', 'it does not stand on');
  for (const [note, said] of [
    [received('b', a, 'tcp'), 'b got data of a TCP connection from 10.0.0.1'],
    [received('a', b, 'tcp'), 'a got data of a TCP connection from 10.0.0.2'],
    [{ kind: 'connected', host: 'b', as: 'answerer', peer: a }, 'b has a connection from 10.0.0.1'],
    [{ kind: 'closed', host: 'b', peer: a }, 'b closed its connection with 10.0.0.1'],
  ] as const)
    t.equal(judged(intent, talk, closed, note), said, 'nobody gets any of it');
  t.equal(judged(intent, udp), 'kept');
  t.equal(
    judged(intent, udp, relayed('n')),
    'kept',
    'a port for datagrams is nobody who gets them',
  );
  t.equal(
    judged(intent, udp, relayed('m')),
    'm has a connection of its own to 10.0.0.3 for 10.0.0.1',
  );
  t.equal(judged(intent, udp, received('b', a, 'udp')), 'b got a UDP datagram from 10.0.0.1');
  t.equal(judged(intent, udp, connected), 'a saw 1 connections stand, and 0 end');
  t.match(
    judgeIntent(intent, udp, { frames: [], notes: [{ ...received('b', a, 'udp'), timeUs: 0 }] })
      ?.expected,
    /^n takes what a sends to 10\.0\.0\.2, no endpoint gets any of it, and nothing comes back: so$/,
  );
  t.match(
    judgeIntent(intent, tcp, { frames: [], notes: [] })?.expected,
    /^n takes what a sends to 10\.0\.0\.2, no endpoint gets any of it, and it ends for a: so$/,
  );
  t.end();
});

void t.test('who refuses a proxy before another takes it', (t) => {
  const whole: readonly Note[] = [
    { kind: 'connected', host: 'a', as: 'opener', peer: b },
    { kind: 'relayed', host: 'n', client: a, to: '10.0.0.3' },
    { kind: 'connected', host: 'b', as: 'answerer', peer: a },
    received('b', a, 'tcp'),
    received('a', b, 'tcp'),
    { kind: 'closed', host: 'a', peer: b },
    { kind: 'closed', host: 'b', peer: a },
  ];
  const relay = { by: 'n', client: a };
  const balanced: Intent = {
    kind: 'balanced',
    answerers: [{ to: 'b', sources: [a] }],
    spread: 'any',
    why: 'so',
    relay,
  };
  for (const intent of [{ ...roundTrip, relay } as const, balanced]) {
    const refused = { ...intent, relay: { ...relay, refusing: ['c'] } };
    t.equal(judged(refused, tcp, dropped('c'), ...whole), 'kept');
    t.equal(judged(refused, tcp, dropped('d'), ...whole), 'd dropped it: odd', 'nobody else');
    t.not(
      judged(refused, tcp, ...whole, { kind: 'connected', host: 'c', as: 'answerer', peer: a }),
      'kept',
      'and no more than that',
    );
    t.equal(judged(intent, tcp, dropped('c'), ...whole), 'c dropped it: odd', 'where none does');
  }
  t.end();
});
