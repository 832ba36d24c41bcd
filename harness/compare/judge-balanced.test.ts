// Goal: what is promised of a Service is broken by every way in which it can be.
// Method: notes of hosts as a sound run leaves them, and each with one thing otherwise.
import t from 'tap';
import type { Intent } from '../domain/intent.js';
import type { HostNote } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import { judgeIntent } from './judge-intent.js';

type Balanced = Extract<Intent, { readonly kind: 'balanced' }>;

const ip = '10.96.0.10';
const either: Balanced = {
  kind: 'balanced',
  answerers: [
    { to: 'a', sources: ['10.10.1.2'] },
    { to: 'b', sources: ['10.10.1.2', '10.10.1.1'] },
  ],
  spread: 'any',
  why: 'the web',
};
const udp: Stimulus = { kind: 'udp', from: 'p', to: ip, port: 53 };
const tcp: Stimulus = { kind: 'tcp', from: 'p', to: ip, port: 80 };
const calls = (count: number, protocol: 'TCP' | 'UDP' = 'UDP'): Stimulus => ({
  kind: 'calls',
  protocol,
  from: 'p',
  to: ip,
  port: 53,
  count,
  everyMs: 1,
});

const received = (host: string, src: string, what: 'udp' | 'tcp' = 'udp'): HostNote => ({
  timeUs: 1,
  host,
  kind: 'received',
  what,
  src,
  dst: '10.0.0.1',
  ttl: 63,
});
const exchange = (host: string, source = '10.10.1.2'): readonly HostNote[] => [
  received(host, source),
  received('p', ip),
];
const connection = (host: string, source = '10.10.1.2'): readonly HostNote[] => [
  { timeUs: 1, host: 'p', kind: 'connected', as: 'opener', peer: ip },
  { timeUs: 1, host, kind: 'connected', as: 'answerer', peer: source },
  received(host, source, 'tcp'),
  received('p', ip, 'tcp'),
  { timeUs: 1, host: 'p', kind: 'closed', peer: ip },
  { timeUs: 1, host, kind: 'closed', peer: source },
];
const judged = (intent: Intent, stimulus: Stimulus, notes: readonly HostNote[]) =>
  judgeIntent(intent, stimulus, { frames: [], notes });
const verdict = (intent: Intent, stimulus: Stimulus, notes: readonly HostNote[]) =>
  judged(intent, stimulus, notes)?.actual ?? 'kept';

void t.test('one that is asked for', async (t) => {
  t.equal(verdict(either, udp, exchange('a')), 'kept');
  t.equal(verdict(either, udp, exchange('b', '10.10.1.1')), 'kept');
  t.equal(verdict(either, tcp, connection('b')), 'kept');
  t.equal(
    verdict(
      either,
      { ...tcp, kind: 'probe' },
      connection('b').filter(({ kind }) => kind !== 'received'),
    ),
    'kept',
  );
  t.equal(verdict(either, udp, exchange('c')), 'c got it from 10.10.1.2');
  t.equal(verdict(either, udp, exchange('a', '10.10.1.1')), 'a got it from 10.10.1.1');
  t.equal(verdict(either, udp, []), 'no host got it');
  t.equal(
    verdict(either, udp, [...exchange('a'), received('b', '10.10.1.2')]),
    'a, b got it: 2 arrived of 1',
  );
  t.equal(verdict(either, udp, exchange('a').slice(0, 1)), 'p got 0 answers from 10.96.0.10');
  t.equal(
    verdict(either, udp, [...exchange('a').slice(0, 1), received('p', '10.10.1.3')]),
    'p got it from 10.10.1.3',
    'the endpoint shows itself',
  );
  t.equal(
    verdict(either, tcp, connection('a').slice(0, -1)),
    'of 1 connections 1 ends were closed',
  );
  t.equal(verdict(either, tcp, connection('a').slice(1)), 'p has 0 connections to 10.96.0.10');
  t.equal(verdict(either, tcp, connection('a', '10.10.1.9')), 'a got it from 10.10.1.9');
  for (const kind of ['refused', 'reset', 'timed-out'] as const)
    t.match(
      verdict(either, tcp, [...connection('a'), { timeUs: 2, host: 'p', kind, peer: ip }]),
      /^p got /,
    );
  t.match(
    verdict(either, tcp, [
      ...connection('a'),
      { timeUs: 2, host: 'p', kind: 'unreachable', peer: ip, why: 'port unreachable' },
    ]),
    /ICMP error for/,
  );
});

void t.test('one whose answer does not come back', async (t) => {
  const [a, b] = either.answerers;
  const deaf: Balanced = {
    ...either,
    answerers: [
      { ...a, unanswered: 'its node does not know p yet' } as Balanced['answerers'][number],
      ...(b === undefined ? [] : [b]),
    ],
  };
  t.equal(verdict(deaf, udp, exchange('a').slice(0, 1)), 'kept');
  t.equal(verdict(deaf, udp, exchange('b')), 'kept');
  t.equal(verdict(deaf, udp, exchange('a')), 'p got 1 answers from 10.96.0.10');
  t.equal(verdict(deaf, udp, exchange('b').slice(0, 1)), 'p got 0 answers from 10.96.0.10');
  t.equal(verdict(deaf, udp, []), 'no host got it');
  t.match(
    judged(deaf, udp, [])?.expected,
    /a from 10\.10\.1\.2 \(whose answer does not come back: its node does not know p yet\), or b/,
  );
});

void t.test(
  'one that is asked for by an endpoint of it, which sees the address that it asked',
  async (t) => {
    const node = '172.30.0.1';
    const itself: Balanced = {
      kind: 'balanced',
      answerers: [
        { to: 'p', sources: [node] },
        { to: 'a', sources: [node] },
      ],
      spread: 'any',
      why: 'a port of a node',
    };
    const ask: Stimulus = { kind: 'udp', from: 'p', to: node, port: 30001 };
    const [at, back] = [(host: string) => received(host, node), received('p', node)];
    t.equal(verdict(itself, ask, [at('p'), back]), 'kept');
    t.equal(verdict(itself, ask, [at('a'), back]), 'kept');
    t.equal(verdict(itself, ask, [at('p')]), 'no host got it', 'no answer');
    t.equal(verdict(itself, ask, [at('a')]), 'p got 0 answers from 172.30.0.1');
    t.equal(verdict(itself, ask, [at('a'), at('p'), back]), 'a, p got it: 2 arrived of 1');
    t.equal(verdict(itself, ask, [at('p'), at('p'), back]), 'p, p got it: 2 arrived of 1');
    t.equal(
      verdict({ ...itself, answerers: itself.answerers.slice(1) }, ask, [at('a'), at('p'), back]),
      'p got 2 answers from 172.30.0.1',
      'it is no endpoint',
    );
    t.equal(
      verdict(
        {
          ...itself,
          answerers: [
            { to: 'p', sources: [ip] },
            { to: 'a', sources: [node] },
          ],
        },
        ask,
        [at('a'), at('p'), back],
      ),
      'p got 2 answers from 172.30.0.1',
      'it would see another address',
    );
    const opened = connection('p', node).map((note) =>
      'peer' in note && note.peer === ip
        ? { ...note, peer: node }
        : 'src' in note && note.src === ip
          ? { ...note, src: node }
          : note,
    );
    t.equal(verdict(itself, { ...tcp, to: node }, opened), 'kept');
    t.equal(
      verdict(
        itself,
        { ...tcp, to: node },
        opened.filter((note) => note.kind !== 'received' || note !== opened[2]),
      ),
      'p got 0 answers from 172.30.0.1',
    );
  },
);

void t.test('a connection that stays open, and talk by it', async (t) => {
  const open: Stimulus = { kind: 'open', from: 'p', to: ip, port: 80, connection: 'k' };
  const talk: Stimulus = { kind: 'talk', from: 'p', to: ip, port: 80, connection: 'k' };
  const opened = connection('a').slice(0, 2);
  t.equal(verdict(either, open, opened), 'kept');
  t.equal(verdict(either, open, connection('c').slice(0, 2)), 'c got it from 10.10.1.2');
  t.equal(verdict(either, open, opened.slice(1)), 'p has 0 connections to 10.96.0.10');
  t.equal(
    verdict(either, open, [...opened, { timeUs: 2, host: 'p', kind: 'closed', peer: ip }]),
    'it was closed at 1 ends',
  );
  const only: Intent = { ...either, answerers: either.answerers.slice(0, 1) };
  const exchanged = [received('a', '10.10.1.2', 'tcp'), received('p', ip, 'tcp')];
  t.equal(verdict(only, talk, exchanged), 'kept');
  t.equal(
    verdict(only, talk, [received('b', '10.10.1.2', 'tcp'), received('p', ip, 'tcp')]),
    'b got it from 10.10.1.2',
    'another endpoint',
  );
  t.equal(verdict(only, talk, exchanged.slice(0, 1)), 'p got 0 answers from 10.96.0.10');
  t.equal(verdict(only, talk, []), 'no host got it');
  t.equal(verdict({ ...only, lost: 'a is none any more' }, talk, []), 'kept');
  t.equal(
    verdict({ ...only, lost: 'a is none any more' }, talk, [
      received('b', '10.10.1.2', 'tcp'),
      received('p', ip, 'tcp'),
    ]),
    'b got it from 10.10.1.2',
  );
  t.equal(
    verdict(only, talk, [...exchanged, { timeUs: 2, host: 'p', kind: 'reset', peer: ip }]),
    'p got a reset from 10.96.0.10',
  );
});

void t.test('what is counted, and what is not', async (t) => {
  t.equal(
    verdict(either, udp, [
      { timeUs: 1, host: 'p', kind: 'resolved', ip, mac: '' },
      ...exchange('a'),
    ]),
    'kept',
    'who asks for an address gets no datagram',
  );
  t.equal(
    verdict(either, udp, [received('a', '10.10.1.2'), received('q', ip)]),
    'q got it from 10.96.0.10',
    'the answer went to somebody else',
  );
  const proxied: Intent = { ...either, answerers: [{ to: 'b', sources: [ip] }] };
  t.same(
    [verdict(proxied, udp, exchange('b', ip)), verdict(proxied, udp, [received('b', ip)])],
    ['kept', 'p got 0 answers from 10.96.0.10'],
    'who sees what was asked as the sender',
  );
  t.equal(
    verdict(
      either,
      { ...tcp, kind: 'probe' },
      connection('a')
        .filter(({ kind }) => kind !== 'received')
        .with(0, { timeUs: 1, host: 'q', kind: 'connected', as: 'opener', peer: ip }),
    ),
    'p has 0 connections to 10.96.0.10',
  );
  t.equal(
    verdict(
      either,
      tcp,
      connection('a').with(0, {
        timeUs: 1,
        host: 'p',
        kind: 'connected',
        as: 'opener',
        peer: '10.96.0.11',
      }),
    ),
    'p has 0 connections to 10.96.0.10',
    'to something else',
  );
  const self: Intent = { ...either, answerers: [{ to: 'p', sources: [ip] }] };
  t.equal(
    verdict(self, tcp, connection('p', ip)),
    'kept',
    'of both ends at one host one has read what the other sent',
  );
  t.equal(
    verdict(
      self,
      { ...tcp, kind: 'probe' },
      connection('p', ip).filter(({ kind }) => kind !== 'received'),
    ),
    'kept',
    'of both ends at one host one has opened it',
  );
  t.match(
    verdict(either, tcp, [
      ...connection('a'),
      { timeUs: 2, host: 'b', kind: 'dropped', why: 'odd', src: '', dst: '' },
    ]),
    'b dropped it: odd',
  );
  const frame: Stimulus = {
    kind: 'frame',
    from: 'p',
    what: '',
    frame: { src: '', dst: '', payload: { kind: 'other', etherType: 0, hex: '' } },
  };
  t.equal(
    verdict(either, frame, [received('a', '10.10.1.2')]),
    'p got 0 answers from it',
    'to no address',
  );
});

void t.test('what is promised, in words', async (t) => {
  const expected = (intent: Balanced) =>
    judged(intent, udp, [])?.expected ?? judged(intent, udp, exchange('c'))?.expected;
  const [who, answer] = [
    'a from 10.10.1.2, or b from 10.10.1.2 or 10.10.1.1 gets it',
    'p gets the answer from 10.96.0.10: the web',
  ];
  t.equal(expected(either), `${who}, and ${answer}`);
  t.equal(
    expected({ ...either, spread: 'the same' }),
    `${who}, the same one each time, and ${answer}`,
  );
  t.equal(
    expected({ ...either, spread: 'every one' }),
    `${who}, and each of them some time, and ${answer}`,
  );
  t.equal(
    expected({ ...either, lost: 'a policy' }),
    `${who}, and ${answer}; or it is lost: a policy`,
  );
});

void t.test('a pod that gets itself', async (t) => {
  const self: Intent = { ...either, answerers: [{ to: 'p', sources: ['169.254.169.252'] }] };
  t.equal(verdict(self, udp, exchange('p', '169.254.169.252')), 'kept');
  t.equal(verdict(self, udp, exchange('p', '10.10.1.2')), 'p got it from 10.10.1.2');
  t.equal(verdict(self, tcp, connection('p', '169.254.169.252')), 'kept');
});

void t.test('what may be lost', async (t) => {
  const open: Intent = { ...either, lost: 'a policy' };
  t.equal(verdict(open, udp, []), 'kept');
  t.equal(verdict(open, tcp, [{ timeUs: 1, host: 'p', kind: 'timed-out', peer: ip }]), 'kept');
  t.equal(verdict(open, udp, exchange('a')), 'kept');
  t.equal(
    verdict(open, tcp, connection('a').slice(0, 1)),
    'an answer to what no host got',
    'a connection to nobody',
  );
  t.equal(verdict(open, udp, exchange('a').slice(1)), 'an answer to what no host got');
  t.equal(verdict(open, udp, exchange('c')), 'c got it from 10.10.1.2');
});

void t.test('several', async (t) => {
  const [same, all]: readonly Intent[] = [
    { ...either, spread: 'the same' },
    { ...either, spread: 'every one' },
  ];
  const [aa, ab] = [
    [...exchange('a'), ...exchange('a')],
    [...exchange('a'), ...exchange('b')],
  ];
  t.same(
    [either, same, all].map((intent) => intent && verdict(intent, calls(2), aa)),
    ['kept', 'kept', 'of 2 none got to b'],
  );
  t.same(
    [either, same, all].map((intent) => intent && verdict(intent, calls(2), ab)),
    ['kept', 'a, b in turn', 'kept'],
  );
  t.equal(verdict(either, calls(3), ab), 'a, b got it: 2 arrived of 3');
  t.equal(verdict(either, calls(2, 'TCP'), [...connection('a'), ...connection('b')]), 'kept');
  t.equal(verdict(either, calls(2, 'TCP'), connection('a')), 'a got it: 1 arrived of 2');
  t.equal(
    verdict(either, calls(2, 'TCP'), [...connection('a'), ...connection('b').slice(0, -1)]),
    'of 2 connections 3 ends were closed',
  );
});

void t.test('who is to be notified that nobody is there', async (t) => {
  const rejected: Intent = { kind: 'rejected', why: 'nobody is there' };
  const icmpError: HostNote = {
    timeUs: 1,
    host: 'p',
    kind: 'unreachable',
    peer: ip,
    why: 'port unreachable',
  };
  t.equal(verdict(rejected, tcp, [icmpError]), 'kept');
  t.equal(verdict(rejected, tcp, []), 'it got no ICMP error');
  t.equal(verdict(rejected, tcp, [{ ...icmpError, host: 'q' }]), 'it got no ICMP error');
  t.equal(
    verdict(rejected, tcp, [{ timeUs: 1, host: 'p', kind: 'timed-out', peer: ip }]),
    'it got no ICMP error',
    'silence is no word',
  );
  t.equal(verdict(rejected, tcp, [{ ...icmpError, peer: '10.96.0.11' }]), 'it got no ICMP error');
  t.match(verdict(rejected, udp, [icmpError, ...exchange('a')]), /^a got a UDP datagram/);
});

void t.test('SCTP: the message arrives, once', async (t) => {
  const sctp: Stimulus = { kind: 'sctp', from: 'p', to: ip, port: 7070 };
  const association = connection('a').filter(({ kind }) => kind !== 'received');
  t.equal(
    verdict(either, sctp, [
      ...association,
      {
        timeUs: 1,
        host: 'a',
        kind: 'received',
        what: 'sctp',
        src: '10.10.1.2',
        dst: '10.10.1.3',
        ttl: 63,
      },
    ]),
    'kept',
  );
  t.equal(verdict(either, sctp, association), 'of 1 messages 0 arrived');
  t.equal(
    verdict(either, sctp, [...association, received('a', '10.10.1.2')]),
    'of 1 messages 0 arrived',
    'a datagram is none',
  );
});
