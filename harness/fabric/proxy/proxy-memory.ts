import type { AddressAndPort } from '../../domain/plan/nat-plan.js';

/** What proxies remember. */
export interface ProxyMemory {
  /** The endpoint that a client got of a proxy, and when: with affinity it gets it again. */
  readonly affinity: Map<string, { readonly endpoint: AddressAndPort; readonly atUs: number }>;
  /** How many connections each proxy has looked for an endpoint for. */
  readonly roundRobin: Map<string, number>;
  /** Clients of datagrams, by themselves and by the port that they are spoken for from. */
  readonly datagrams: Map<string, DatagramClient>;
}

export interface DatagramClient {
  readonly client: AddressAndPort;
  /** The port that it asked. */
  readonly port: number;
  readonly own: AddressAndPort;
  readonly endpoint: AddressAndPort;
  readonly idleUs: number;
  expiresUs: number;
}

export function noProxyMemory(): ProxyMemory {
  return { affinity: new Map(), roundRobin: new Map(), datagrams: new Map() };
}
