// Goal: a connection of TCP goes through the states that Linux prints of it, and what is no part of
// it is distinguished. Method: flags of segments in both directions, in order, with the state
// behind each; the states of a whole connection are those that a kernel 6.1 printed, and how long
// one lives that is never answered.
import t from 'tap';
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { beginKernelTcp, opensKernelTcp, printKernelTcp, updateKernelTcp } from './kernel-tcp.js';

const { SYN, ACK, FIN, RST, PSH } = tcpFlags;

const segment = (flags: number) => ({
  flags,
  sequence: 0,
  acknowledgement: 0,
  window: 0,
  options: new Uint8Array(),
  payloadLength: 0,
});

/** States behind each segment; `invalid` and `restart` where it leads to none. */
function states(first: number, ...then: readonly (readonly ['there' | 'back', number])[]) {
  const { progress } = beginKernelTcp(segment(first));
  return [
    printKernelTcp(progress),
    ...then.map(([way, flags]) => {
      const { kind } = updateKernelTcp(progress, segment(flags), way === 'back');
      return kind === 'valid' || kind === 'new' ? printKernelTcp(progress) : kind;
    }),
  ].map((state) => state.replace('state=', ''));
}

void t.test('a whole connection', async (t) => {
  t.same(
    states(
      SYN,
      ['there', SYN],
      ['back', SYN | ACK],
      ['there', ACK],
      ['there', ACK | PSH],
      ['there', FIN | ACK],
      ['back', ACK],
      ['back', FIN | ACK],
      ['there', ACK],
    ),
    [
      'SYN_SENT',
      'SYN_SENT',
      'SYN_RECV',
      'ESTABLISHED',
      'ESTABLISHED',
      'FIN_WAIT_1',
      'CLOSE_WAIT',
      'LAST_ACK',
      'TIME_WAIT',
    ],
  );
});

void t.test('both ends open, one resets, another begins again', async (t) => {
  t.same(states(SYN, ['back', SYN], ['there', SYN | ACK], ['there', ACK]), [
    'SYN_SENT',
    'SYN_SENT2',
    'SYN_RECV',
    'ESTABLISHED',
  ]);
  t.same(states(SYN, ['back', RST | ACK]), ['SYN_SENT', 'last'], 'refused');
  t.same(states(SYN, ['there', RST]), ['SYN_SENT', 'last'], 'given up');
  t.same(states(SYN, ['back', SYN | ACK], ['there', RST], ['there', SYN]), [
    'SYN_SENT',
    'SYN_RECV',
    'CLOSING',
    'restart',
  ]);
});

/** Of two ends with a window, in order: who sends, what, and up to where. */
function sequenced(
  ...segments: readonly (readonly ['there' | 'back', number, number, number])[]
): readonly string[] {
  const [[, first, at], ...then] = segments as typeof segments & [(typeof segments)[number]];
  const said = (flags: number, sequence: number, acknowledgement: number) => ({
    ...segment(flags),
    sequence,
    acknowledgement,
    window: 8000,
  });
  const { progress } = beginKernelTcp(said(first, at, 0));
  return then.map(([way, flags, sequence, acknowledgement]) => {
    const { kind } = updateKernelTcp(
      progress,
      said(flags, sequence, acknowledgement),
      way === 'back',
    );
    return kind === 'valid' ? printKernelTcp(progress).replace('state=', '') : kind;
  });
}

const opened = [
  ['there', SYN, 100, 0],
  ['back', SYN | ACK, 500, 101],
  ['there', ACK, 101, 501],
] as const;

void t.test(
  'who was reset by the other asks again, and is followed once that answers',
  async (t) => {
    t.same(
      sequenced(
        ...opened,
        ['back', RST | ACK, 501, 101],
        ['there', SYN, 900, 0],
        ['back', SYN | ACK, 700, 901],
        ['there', ACK, 901, 701],
      ),
      ['SYN_RECV', 'ESTABLISHED', 'CLOSING', 'CLOSING', 'SYN_RECV', 'ESTABLISHED'],
    );
    t.same(
      sequenced(...opened, ['there', RST | ACK, 101, 501], ['there', SYN, 900, 0]).slice(2),
      ['CLOSING', 'restart'],
      'who has reset it itself begins another',
    );
  },
);

void t.test('a connection that both have closed is opened again by either', async (t) => {
  const closed = [
    ...opened,
    ['there', FIN | ACK, 101, 501],
    ['back', FIN | ACK, 501, 102],
    ['there', ACK, 102, 502],
  ] as const;
  t.same(sequenced(...closed, ['back', SYN, 900, 0]).slice(2), [
    'FIN_WAIT_1',
    'LAST_ACK',
    'TIME_WAIT',
    'restart',
  ]);
});

void t.test('a SYN while the other end closes is challenged, not closed', async (t) => {
  const closing = [
    ...opened,
    ['there', FIN | ACK, 101, 501],
    ['back', FIN | ACK, 501, 102],
    ['there', SYN, 900, 0],
    ['back', ACK, 502, 102],
  ] as const;
  t.same(sequenced(...closing).slice(3), ['LAST_ACK', 'LAST_ACK', 'LAST_ACK']);
  t.same(sequenced(...closing, ['back', ACK, 502, 102]).slice(6), ['TIME_WAIT']);
});

void t.test('a reset that comes too late is none', async (t) => {
  t.same(sequenced(...opened, ['back', RST, 300, 0]).slice(2), ['invalid']);
  t.same(
    sequenced(...opened, ['back', RST, 600, 0]).slice(2),
    ['ESTABLISHED'],
    'and one from beyond does not close',
  );
  t.same(sequenced(...opened, ['back', RST, 501, 0]).slice(2), ['CLOSING']);
});

void t.test('who only asks again keeps nothing alive by it', async (t) => {
  const { progress } = beginKernelTcp(segment(SYN));
  t.same(updateKernelTcp(progress, segment(SYN), false), { kind: 'new' }, 'no timeout');
  t.match(updateKernelTcp(progress, segment(SYN | ACK), true), { timeout: 'tcp_syn_recv' });
});

// Whose SYN,ACK was lost on its way asks again, and is challenged (RFC 5961, section 4.2).
void t.test('a challenge behind a lost answer is one, and then it is no longer new', async (t) => {
  const { progress } = beginKernelTcp(segment(SYN));
  t.same(updateKernelTcp(progress, segment(ACK), true), { kind: 'valid' }, 'no timeout');
  t.equal(printKernelTcp(progress), 'state=SYN_SENT');
  t.match(updateKernelTcp(progress, segment(SYN), false), {
    kind: 'valid',
    timeout: 'tcp_syn_sent',
  });
});

void t.test('what is no part of one', async (t) => {
  t.same(states(SYN, ['there', ACK], ['there', FIN | ACK], ['there', SYN | FIN]), [
    'SYN_SENT',
    'invalid',
    'invalid',
    'invalid',
  ]);
  t.same(
    [SYN, ACK, SYN | ACK, FIN | ACK, RST].map((flags) => opensKernelTcp(segment(flags))),
    [true, true, false, false, false],
  );
});

void t.test('what is picked up in its middle lives shortly up to its second answer', async (t) => {
  const { progress, timeout } = beginKernelTcp(segment(ACK));
  const back = () => updateKernelTcp(progress, { ...segment(ACK), window: 8000 }, true);
  t.equal(timeout, 'tcp_unacknowledged');
  t.match(back(), { kind: 'valid', timeout: 'tcp_unacknowledged' });
  t.match(back(), { kind: 'valid', timeout: 'tcp_established' });
});

void t.test('how long it is kept', async (t) => {
  const { SYN, ACK } = tcpFlags;
  const said = (flags: number, sequence: number, acknowledgement: number, payloadLength = 0) => ({
    ...segment(flags),
    sequence,
    acknowledgement,
    payloadLength,
    window: 8000,
  });
  const { progress, timeout } = beginKernelTcp(said(SYN, 100, 0));
  const then = [
    [true, said(SYN | ACK, 500, 101)],
    [false, said(ACK, 101, 501)],
    [false, said(ACK, 101, 501, 10)],
    [true, said(ACK, 501, 111)],
    [true, { ...said(ACK, 501, 111), window: 0 }],
  ] as const;
  t.same(
    [
      timeout,
      ...then.map(([isReply, next]) => {
        const updated = updateKernelTcp(progress, next, isReply);
        return 'timeout' in updated ? updated.timeout : updated.kind;
      }),
    ],
    [
      'tcp_syn_sent',
      'tcp_syn_recv',
      'tcp_established',
      'tcp_unacknowledged',
      'tcp_established',
      'tcp_unacknowledged',
    ],
    'data that nobody has acknowledged, and a window of nothing, are not waited for so long',
  );
  const { progress: other } = beginKernelTcp(said(SYN, 100, 0));
  t.match(updateKernelTcp(other, said(SYN | ACK, 500, 900), true), { kind: 'invalid' });
  t.equal(beginKernelTcp(said(ACK, 100, 7)).timeout, 'tcp_unacknowledged', 'from its middle');
});
