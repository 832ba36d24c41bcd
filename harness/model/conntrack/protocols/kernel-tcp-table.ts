/**
 * What segments of TCP make of a connection's state, as Linux's tracker has it: one state for both
 * ends (net/netfilter/nf_conntrack_proto_tcp.c, tcp_conntracks).
 */
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import type { TimeoutName } from '../timeouts.js';

export type KernelState =
  | 'SYN_SENT'
  | 'SYN_SENT2'
  | 'SYN_RECV'
  | 'ESTABLISHED'
  | 'FIN_WAIT'
  | 'CLOSE_WAIT'
  | 'LAST_ACK'
  | 'TIME_WAIT'
  | 'CLOSE';

export type TcpEvent = 'syn' | 'syn-ack' | 'fin' | 'ack' | 'rst';

/** A segment that changes nothing, or that is no part of the connection. */
export type Next = KernelState | 'ignored' | 'invalid';

const { SYN, ACK, FIN, RST } = tcpFlags;

export function eventOf(flags: number): TcpEvent | undefined {
  if ((flags & RST) !== 0) return 'rst';
  if ((flags & SYN) !== 0) return (flags & ACK) === 0 ? 'syn' : 'syn-ack';
  if ((flags & FIN) !== 0) return 'fin';
  return (flags & ACK) === 0 ? undefined : 'ack';
}

export function isOver(state: KernelState): boolean {
  return state === 'TIME_WAIT' || state === 'CLOSE';
}

export function nextState(state: KernelState, event: TcpEvent, isReply: boolean): Next {
  if (event === 'rst') return 'CLOSE';
  switch (event) {
    case 'syn':
      return isReply ? synOfAnswerer(state) : synOfOpener(state);
    case 'syn-ack':
      return isReply ? answerOfAnswerer(state) : answerOfOpener(state);
    case 'fin':
      return afterFin(state);
    case 'ack':
      return isReply ? ackOfAnswerer(state) : ackOfOpener(state);
  }
}

function synOfOpener(state: KernelState): Next {
  if (state === 'SYN_SENT' || isOver(state)) return 'SYN_SENT';
  return state === 'SYN_SENT2' ? 'SYN_SENT2' : 'ignored';
}

/** Both ends may open at once. */
function synOfAnswerer(state: KernelState): Next {
  if (state === 'SYN_SENT' || state === 'SYN_SENT2') return 'SYN_SENT2';
  return state === 'TIME_WAIT' ? 'SYN_SENT' : 'invalid';
}

function answerOfOpener(state: KernelState): Next {
  return state === 'SYN_RECV' || state === 'SYN_SENT2' ? 'SYN_RECV' : 'invalid';
}

function answerOfAnswerer(state: KernelState): Next {
  return state === 'SYN_SENT' || state === 'SYN_SENT2' ? 'SYN_RECV' : 'ignored';
}

function afterFin(state: KernelState): Next {
  switch (state) {
    case 'SYN_SENT':
    case 'SYN_SENT2':
      return 'invalid';
    case 'SYN_RECV':
    case 'ESTABLISHED':
      return 'FIN_WAIT';
    case 'FIN_WAIT':
    case 'CLOSE_WAIT':
    case 'LAST_ACK':
      return 'LAST_ACK';
    case 'TIME_WAIT':
    case 'CLOSE':
      return state;
  }
}

function ackOfOpener(state: KernelState): Next {
  if (state === 'SYN_SENT' || state === 'SYN_SENT2') return 'invalid';
  return state === 'SYN_RECV' ? 'ESTABLISHED' : afterAck(state);
}

function ackOfAnswerer(state: KernelState): Next {
  if (state === 'SYN_SENT' || state === 'SYN_SENT2') return 'ignored';
  return state === 'SYN_RECV' ? 'SYN_RECV' : afterAck(state);
}

function afterAck(state: KernelState): KernelState {
  if (state === 'FIN_WAIT') return 'CLOSE_WAIT';
  return state === 'LAST_ACK' ? 'TIME_WAIT' : state;
}

export const stateTimeouts: Readonly<Record<KernelState, TimeoutName>> = {
  SYN_SENT: 'tcp_syn_sent',
  SYN_SENT2: 'tcp_syn_sent',
  SYN_RECV: 'tcp_syn_recv',
  ESTABLISHED: 'tcp_established',
  FIN_WAIT: 'tcp_fin_wait',
  CLOSE_WAIT: 'tcp_close_wait',
  LAST_ACK: 'tcp_last_ack',
  TIME_WAIT: 'tcp_time_wait',
  CLOSE: 'tcp_close',
};
