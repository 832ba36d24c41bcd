import type { AddressAndPort } from './nat-plan.js';

/**
 * A program of a host that takes connections itself, and opens one of its own to an endpoint for
 * each ("userspace" kube-proxy): the endpoint sees the host as its peer, never the client. Of
 * datagrams, all of one client within `udpIdleMs` of each other are a connection.
 */
export interface ProxyPlan {
  /** Where it listens: on one address of the host's, or on all where it is missing. */
  readonly at: { readonly ip?: string; readonly protocol: 'TCP' | 'UDP'; readonly port: number };
  /** It goes through them in turn, from any of them on, until one takes the connection. */
  readonly to: readonly AddressAndPort[];
  /**
   * For how many seconds a client gets the same one again, since it last opened a connection;
   * missing where every connection is on its own.
   */
  readonly affinityS?: number;
  /**
   * How long it waits for an endpoint to take a connection, try by try; then it gives up, and
   * closes the client's.
   */
  readonly dialMs: readonly number[];
  readonly udpIdleMs: number;
}
