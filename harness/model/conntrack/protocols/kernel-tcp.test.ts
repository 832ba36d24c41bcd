// Goal: a connection of TCP goes through the states that Linux prints of it, and what is no part of
// it is distinguished. Method: flags of segments in both directions, in order, with the state
// behind each; the states of a whole connection are those that a kernel 6.1 printed.
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
      'FIN_WAIT',
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
  t.same(states(SYN, ['back', SYN | ACK], ['there', RST], ['there', SYN]), [
    'SYN_SENT',
    'SYN_RECV',
    'CLOSE',
    'restart',
  ]);
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
