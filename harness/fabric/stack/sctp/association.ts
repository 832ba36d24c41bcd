/** An SCTP association as one end has it (RFC 9260). */
import type { SctpChunk } from '../../../packet/protocols/transport/sctp-chunk.js';

export interface Association {
  readonly as: 'opener' | 'answerer';
  readonly state:
    | 'cookie-wait'
    | 'cookie-echoed'
    | 'established'
    | 'shutdown-sent'
    | 'shutdown-ack-sent';
  readonly local: { readonly ip: string; readonly port: number };
  readonly remote: { readonly ip: string; readonly port: number };
  /** The verification tag of what is sent, and of what comes. */
  readonly peerTag: number;
  readonly ownTag: number;
  readonly tsn: number;
  readonly patience: number;
  /** What was sent and waits for its answer. */
  readonly waiting?: { readonly chunk: SctpChunk; readonly transmissions: number };
}
