/** Chunks that an association sends, and the timer of one that waits for its answer. */
import { type Effect, connectionKey, type Timer, type Host } from '../host.js';
import type { Association } from './association.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { type SctpChunk, encodeChunk } from '../../../packet/protocols/transport/sctp-chunk.js';
import { type SctpHeader, encodeSctp } from '../../../packet/protocols/transport/sctp.js';
import { sendIp } from '../send-ip.js';

export type SctpTimer = Extract<Timer, { readonly kind: 'sctp' }>;

/**
 * Linux: net.sctp.rto_initial, and max_init_retransmits beside the first; each wait is twice the
 * one before.
 */
export const retransmission = { firstUs: 3_000_000, transmissions: 9 } as const;

export function timerFor(
  association: Association,
  { chunk, transmissions }: NonNullable<Association['waiting']>,
): Effect {
  const timer: SctpTimer = {
    kind: 'sctp',
    association: connectionKey(association),
    type: chunk.type,
    transmissions,
  };
  return { kind: 'wake', delayUs: retransmission.firstUs * 2 ** (transmissions - 1), timer };
}

/** One chunk a packet. */
export function send(
  host: Host,
  { local, remote, peerTag }: Pick<Association, 'local' | 'remote' | 'peerTag'>,
  chunk: SctpChunk,
): readonly Effect[] {
  const header: SctpHeader = {
    srcPort: local.port,
    dstPort: remote.port,
    verificationTag: peerTag,
  };
  return sendIp(host, {
    dst: remote.ip,
    src: local.ip,
    protocol: ipProtocols.sctp,
    encode: () => encodeSctp(header, encodeChunk(chunk)),
  });
}

/** Sends a chunk and remembers it until what answers it has come. */
export function sendAndAwait(
  host: Host,
  association: Association,
  chunk: SctpChunk,
): readonly Effect[] {
  const waiting = { chunk, transmissions: 1 };
  host.associations.set(connectionKey(association), { ...association, waiting });
  return [...send(host, association, chunk), timerFor(association, waiting)];
}

export function isChunkUnanswered(
  host: Host,
  { association, type, transmissions }: SctpTimer,
): boolean {
  const waiting = host.associations.get(association)?.waiting;
  return waiting?.chunk.type === type && waiting.transmissions === transmissions;
}

export function end(
  host: Host,
  association: Association,
  how: 'closed' | 'refused' | 'reset' | 'timed-out',
): readonly Effect[] {
  host.associations.delete(connectionKey(association));
  return [{ kind: 'note', note: { kind: how, peer: association.remote.ip } }];
}
