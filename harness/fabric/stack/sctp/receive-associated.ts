/** A packet of an SCTP association, at either end. */
import { viewOf } from '../../../packet/bytes/header-layout.js';
import {
  type SctpChunk,
  sctpChunkTypes as types,
  decodeInit,
  encodeData,
  encodeShutdown,
  encodeSack,
} from '../../../packet/protocols/transport/sctp-chunk.js';
import type { Host, Effect, IpHeader } from '../host.js';
import { dropped } from '../send-ip.js';
import type { Association } from './association.js';
import { end, sendAndAwait, send } from './sctp-timer.js';

export const nothing = new Uint8Array();

/** First and last fragment in one. */
export const wholeMessage = 3;

export function receiveAsOpener(
  host: Host,
  association: Association,
  ip: IpHeader,
  { type, value }: SctpChunk,
): readonly Effect[] {
  const { state, tsn } = association;
  if (type === types.abort)
    return end(host, association, state === 'cookie-wait' ? 'refused' : 'reset');
  if (state === 'cookie-wait' && type === types.initAck) {
    const init = decodeInit(value);
    if (init?.cookie === undefined) return dropped('a broken INIT ACK', ip);
    return sendAndAwait(
      host,
      { ...association, state: 'cookie-echoed', peerTag: init.initiateTag },
      { type: types.cookieEcho, flags: 0, value: init.cookie },
    );
  }
  if (state === 'cookie-echoed' && type === types.cookieAck) {
    const connected: Effect = {
      kind: 'note',
      note: { kind: 'connected', as: 'opener', peer: association.remote.ip },
    };
    return [
      connected,
      ...sendAndAwait(
        host,
        { ...association, state: 'established' },
        { type: types.data, flags: wholeMessage, value: encodeData(tsn, host.random.payload) },
      ),
    ];
  }
  if (state === 'established' && type === types.sack)
    return sendAndAwait(
      host,
      { ...association, state: 'shutdown-sent' },
      { type: types.shutdown, flags: 0, value: encodeShutdown(host.random.sequences.answerer - 1) },
    );
  if (state === 'shutdown-sent' && type === types.shutdownAck)
    return [
      ...send(host, association, { type: types.shutdownComplete, flags: 0, value: nothing }),
      ...end(host, association, 'closed'),
    ];
  return dropped(`SCTP chunk ${type} out of its turn`, ip);
}

export function receiveAsAnswerer(
  host: Host,
  association: Association,
  ip: IpHeader,
  { type, value }: SctpChunk,
): readonly Effect[] {
  if (type === types.abort) return end(host, association, 'reset');
  if (type === types.cookieEcho)
    return send(host, association, { type: types.cookieAck, flags: 0, value: nothing });
  if (type === types.data && value.length >= 4) {
    const received: Effect = {
      kind: 'note',
      note: { kind: 'received', what: 'sctp', src: ip.src, dst: ip.dst, ttl: ip.ttl },
    };
    return [
      received,
      ...send(host, association, {
        type: types.sack,
        flags: 0,
        value: encodeSack(viewOf(value).getUint32(0)),
      }),
    ];
  }
  if (type === types.shutdown)
    return sendAndAwait(
      host,
      { ...association, state: 'shutdown-ack-sent' },
      { type: types.shutdownAck, flags: 0, value: nothing },
    );
  if (type === types.shutdownComplete && association.state === 'shutdown-ack-sent')
    return end(host, association, 'closed');
  return dropped(`SCTP chunk ${type} out of its turn`, ip);
}
