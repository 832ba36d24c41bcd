/** A TCP connection as one end has it, and what a proxy joins it to. */
import type { AddressAndPort } from '../../../domain/plan/nat-plan.js';
import type { ProxyPlan } from '../../../domain/plan/proxy-plan.js';

export interface Endpoint {
  readonly ip: string;
  readonly port: number;
}

/** The two ends of a connection, seen from the host. */
export interface Ends {
  readonly local: Endpoint;
  readonly remote: Endpoint;
  readonly ttl: number;
}

export interface Segment {
  readonly sequence: number;
  /** Only sent with the flag ACK. */
  readonly acknowledgement: number;
  /** Bits of `tcpFlags`. */
  readonly flags: number;
  readonly payload: Uint8Array;
  readonly checksum: 'right' | 'wrong';
}

export interface TcpConnection extends Ends {
  readonly as: 'opener' | 'answerer';
  /**
   * What the opener is there for: to have its payload sent back, to see that somebody listens, to
   * talk later, and again, or to carry what another connection brings.
   */
  readonly purpose: 'echo' | 'nothing' | 'talk' | 'relay';
  /** What its opener calls it, where it is to talk. */
  readonly name?: string;
  /** How often a segment is sent before the host gives up. */
  readonly patience: number;
  readonly state:
    | 'syn-sent'
    | 'syn-received'
    | 'established'
    | 'close-wait'
    | 'fin-wait-1'
    | 'fin-wait-2'
    | 'last-ack'
    | 'time-wait';
  /** The sequence number of what is sent next, and of what is to come next. */
  readonly sendNext: number;
  readonly receiveNext: number;
  /** What was sent and is not acknowledged. */
  readonly unacknowledged?: { readonly segment: Segment; readonly transmissions: number };
  /** Of a proxy's, with purpose `relay`. */
  readonly relay?: Relay;
}

/** What joins the two connections of a proxy. */
export interface Relay {
  readonly proxy: ProxyPlan;
  /** The other one, in `connections`; none is called '', which stands for nobody yet. */
  readonly other: string;
  /** What is to be sent by this one, in order, and whether it is to be closed then. */
  readonly waiting: readonly Uint8Array[];
  readonly closing: boolean;
  /** Of the one to the endpoint: who is tried next, and for how long, until one takes it. */
  readonly tries: readonly Try[];
}

export interface Try {
  readonly endpoint: AddressAndPort;
  readonly limitMs: number;
}
