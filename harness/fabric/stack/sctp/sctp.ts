/**
 * SCTP as a host speaks it (RFC 9260), as far as one message needs it: the four-way handshake with
 * a cookie, DATA and SACK, orderly shutdown, ABORT where nobody listens. The one that opens sends
 * its payload and shuts down; each of its chunks is sent again until it is answered. The one that
 * answers keeps nothing before the cookie comes back.
 */
import { viewOf } from '../../../packet/bytes/header-layout.js';
import { decodeSctp, type SctpHeader } from '../../../packet/protocols/transport/sctp.js';
import {
  decodeChunks,
  decodeInit,
  encodeInit,
  sctpChunkTypes as types,
  type SctpChunk,
} from '../../../packet/protocols/transport/sctp-chunk.js';
import { connectionKey, listensOn, type Effect, type Host, type IpHeader } from '../host.js';
import { dropped, unroutable } from '../send-ip.js';
import { nextHop } from '../next-hop.js';
import type { Association } from './association.js';
import {
  end,
  isChunkUnanswered,
  retransmission,
  type SctpTimer,
  send,
  sendAndAwait,
  timerFor,
} from './sctp-timer.js';
import { nothing, receiveAsAnswerer, receiveAsOpener } from './receive-associated.js';

/** Opens an association with `to`. */
export function associate(
  host: Host,
  {
    to,
    port,
    transmissions,
  }: { readonly to: string; readonly port: number; readonly transmissions?: number },
): readonly Effect[] {
  const hop = nextHop(host.plan, to);
  if (hop === undefined) return unroutable(host, to);
  const { srcPort, sequences } = host.random;
  const association: Association = {
    as: 'opener',
    state: 'cookie-wait',
    local: { ip: hop.source, port: srcPort },
    remote: { ip: to, port },
    peerTag: 0,
    ownTag: tagFrom(sequences.opener),
    tsn: sequences.opener,
    patience: transmissions ?? retransmission.transmissions,
  };
  return sendAndAwait(host, association, {
    type: types.init,
    flags: 0,
    value: encodeInit({ initiateTag: association.ownTag, initialTsn: association.tsn }),
  });
}

/** A packet arrived. */
export function receiveSctp(host: Host, ip: IpHeader, bytes: Uint8Array): readonly Effect[] {
  const sctp = decodeSctp(bytes);
  const chunks = sctp === undefined ? undefined : decodeChunks(sctp.payload);
  const [chunk] = chunks ?? [];
  if (sctp?.checksum !== 'valid' || chunk === undefined) return dropped('a broken SCTP packet', ip);
  const ends = {
    local: { ip: ip.dst, port: sctp.header.dstPort },
    remote: { ip: ip.src, port: sctp.header.srcPort },
  };
  const association = host.associations.get(connectionKey(ends));
  if (association === undefined) return receiveUnassociated(host, ends, ip, sctp.header, chunk);
  if (sctp.header.verificationTag !== association.ownTag)
    return dropped('an SCTP packet with another verification tag', ip);
  return association.as === 'opener'
    ? receiveAsOpener(host, association, ip, chunk)
    : receiveAsAnswerer(host, association, ip, chunk);
}

type Ends = Pick<Association, 'local' | 'remote'>;

/**
 * Section 5.1 and 8.4: INIT is answered with a cookie, a cookie of ours makes an association, and
 * most else is aborted.
 */
function receiveUnassociated(
  host: Host,
  ends: Ends,
  ip: IpHeader,
  { verificationTag }: SctpHeader,
  chunk: SctpChunk,
): readonly Effect[] {
  if (chunk.type === types.abort || chunk.type === types.shutdownComplete) return [];
  if (chunk.type === types.init) {
    const init = decodeInit(chunk.value);
    if (init === undefined) return dropped('a broken INIT', ip);
    if (!listensOn(host, 'SCTP', ends.local.port))
      return [
        ...dropped(`nobody listens on SCTP port ${ends.local.port}`, ip),
        ...send(
          host,
          { ...ends, peerTag: init.initiateTag },
          { type: types.abort, flags: 0, value: nothing },
        ),
      ];
    const ownTag = tagFrom(host.random.sequences.answerer);
    const cookie = cookieOf(init.initiateTag, ownTag);
    return send(
      host,
      { ...ends, peerTag: init.initiateTag },
      {
        type: types.initAck,
        flags: 0,
        value: encodeInit(
          { initiateTag: ownTag, initialTsn: host.random.sequences.answerer },
          cookie,
        ),
      },
    );
  }
  if (chunk.type === types.cookieEcho && chunk.value.length === 8) {
    const [peerTag, ownTag] = [viewOf(chunk.value).getUint32(0), viewOf(chunk.value).getUint32(4)];
    const association: Association = {
      ...ends,
      as: 'answerer',
      state: 'established',
      peerTag,
      ownTag,
      tsn: host.random.sequences.answerer,
      patience: retransmission.transmissions,
    };
    host.associations.set(connectionKey(ends), association);
    return [
      { kind: 'note', note: { kind: 'connected', as: 'answerer', peer: ip.src } },
      ...send(host, association, { type: types.cookieAck, flags: 0, value: nothing }),
    ];
  }
  // The tag is reflected, as flag T says.
  return [
    ...dropped('an SCTP packet of no association', ip),
    ...send(
      host,
      { ...ends, peerTag: verificationTag },
      { type: types.abort, flags: 1, value: nothing },
    ),
  ];
}

/** Time is up for a chunk: send it again, or give up. */
export function retransmitChunk(host: Host, timer: SctpTimer): readonly Effect[] {
  const association = host.associations.get(timer.association);
  if (association?.waiting === undefined || !isChunkUnanswered(host, timer)) return [];
  const { chunk, transmissions } = association.waiting;
  if (transmissions >= association.patience) return end(host, association, 'timed-out');
  const waiting = { chunk, transmissions: transmissions + 1 };
  host.associations.set(timer.association, { ...association, waiting });
  return [...send(host, association, chunk), timerFor(association, waiting)];
}

/** A tag of zero stands for none (section 3.3.2). */
function tagFrom(drawn: number): number {
  return drawn === 0 ? 1 : drawn;
}

/** What the answerer has to know again. A real one signs it; nobody forges it here. */
function cookieOf(peerTag: number, ownTag: number): Uint8Array {
  const cookie = new Uint8Array(8);
  viewOf(cookie).setUint32(0, peerTag);
  viewOf(cookie).setUint32(4, ownTag);
  return cookie;
}
