/**
 * How far a connection has come, whatever its protocol: what opens one, how it begins, and what its
 * packets make of it.
 */
import { assertNever } from '../../../base/errors/errors.js';
import { beginIcmp, opensIcmp, updateIcmp, type IcmpProgress } from './icmp.js';
import { beginOther, updateOther, type OtherProgress } from './other.js';
import type { TrackedPacket } from './tracked-packet.js';
import { beginTcp, opensTcp, updateTcp, type TcpProgress } from './tcp.js';
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';

export type Progress = TcpProgress | IcmpProgress | OtherProgress;

/** What is part of a connection: anything but an error. */
export type ConnectionPacket = Exclude<TrackedPacket, { readonly kind: 'error' }>;

export function opensConnection(packet: ConnectionPacket): boolean {
  switch (packet.kind) {
    case 'tcp':
      return opensTcp(packet.segment);
    case 'icmp':
      return opensIcmp(packet.tuple.protocol, packet.type);
    case 'other':
      return true;
    default:
      return assertNever(packet);
  }
}

export function beginProgress(packet: ConnectionPacket): {
  readonly progress: Progress;
  readonly timeout: TimeoutName;
} {
  switch (packet.kind) {
    case 'tcp':
      return beginTcp(packet.segment);
    case 'icmp':
      return beginIcmp();
    case 'other':
      return beginOther();
    default:
      return assertNever(packet);
  }
}

export function update(
  progress: Progress,
  packet: ConnectionPacket,
  isReply: boolean,
  tcpSequences: 'checked' | 'not checked',
): Update {
  if (progress.kind === 'tcp' && packet.kind === 'tcp')
    return updateTcp(progress, packet.segment, isReply, tcpSequences);
  return progress.kind === 'icmp'
    ? updateIcmp(progress, isReply)
    : updateOther(progress as OtherProgress, isReply);
}
