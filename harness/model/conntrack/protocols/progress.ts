/**
 * How far a connection has come, whatever its protocol: what opens one, how it begins, and what its
 * packets make of it.
 */
import { assertNever } from '../../../base/errors/errors.js';
import { beginIcmp, opensIcmp, updateIcmp, type IcmpProgress } from './icmp.js';
import { beginOther, updateOther, type OtherProgress } from './other.js';
import type { TrackedPacket } from './tracked-packet.js';
import { beginTcp, opensTcp, updateTcp, type TcpProgress } from './tcp.js';
import {
  beginKernelTcp,
  opensKernelTcp,
  updateKernelTcp,
  type KernelTcpProgress,
} from './kernel-tcp.js';
import { beginKernelSctp, updateKernelSctp, type KernelSctpProgress } from './kernel-sctp.js';
import { beginKernelUdp, updateKernelUdp, type KernelUdpProgress } from './kernel-udp.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { Behaviour } from '../../behaviour.js';
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';

export type Progress =
  | TcpProgress
  | KernelTcpProgress
  | KernelSctpProgress
  | KernelUdpProgress
  | IcmpProgress
  | OtherProgress;

export function whyItOpensNone({ kind }: ConnectionPacket): string {
  return kind === 'tcp'
    ? 'no connection is known, and half of a handshake, or flags that contradict each other, ' +
        'begin none'
    : 'no connection is known, and only requests of ICMP begin one';
}

/** What is part of a connection: anything but an error. */
export type ConnectionPacket = Exclude<TrackedPacket, { readonly kind: 'error' }>;

export function opensConnection(
  packet: ConnectionPacket,
  { datapath }: Pick<Behaviour, 'datapath'>,
): boolean {
  switch (packet.kind) {
    case 'tcp':
      return (datapath === 'in the kernel' ? opensKernelTcp : opensTcp)(packet.segment);
    case 'icmp':
      return opensIcmp(packet.tuple.protocol, packet.type, datapath);
    case 'kernel-sctp':
      return beginKernelSctp(packet.packet) !== undefined;
    case 'other':
      return true;
    default:
      return assertNever(packet);
  }
}

export function beginProgress(
  packet: ConnectionPacket,
  { datapath }: Pick<Behaviour, 'datapath'>,
  nowMs: number,
): {
  readonly progress: Progress;
  readonly timeout: TimeoutName;
} {
  switch (packet.kind) {
    case 'tcp':
      return (datapath === 'in the kernel' ? beginKernelTcp : beginTcp)(packet.segment);
    case 'icmp':
      return beginIcmp();
    case 'kernel-sctp':
      return beginKernelSctp(packet.packet) ?? beginOther();
    case 'other':
      return datapath === 'in the kernel' && packet.tuple.protocol === ipProtocols.udp
        ? beginKernelUdp(nowMs)
        : beginOther();
    default:
      return assertNever(packet);
  }
}

export function update(
  progress: Progress,
  packet: ConnectionPacket,
  isReply: boolean,
  tcpSequences: 'checked' | 'not checked',
  nowMs: number,
): Update {
  if (progress.kind === 'kernel-udp') return updateKernelUdp(progress, isReply, nowMs);
  if (progress.kind === 'kernel-tcp' && packet.kind === 'tcp')
    return updateKernelTcp(progress, packet.segment, isReply);
  if (progress.kind === 'kernel-sctp' && packet.kind === 'kernel-sctp')
    return updateKernelSctp(progress, packet.packet, isReply);
  if (progress.kind === 'tcp' && packet.kind === 'tcp')
    return updateTcp(progress, packet.segment, isReply, tcpSequences);
  return progress.kind === 'icmp'
    ? updateIcmp(progress, isReply)
    : updateOther(progress as OtherProgress, isReply);
}
