/** Who talks to whom in drawn traffic. */
export type Family = 'ipv4' | 'ipv6';

/** Hosts, and an address of nobody's that flows translate to. */
export const hosts = [1, 2, 3] as const;

export const addressOf = (family: Family, host: number): string =>
  family === 'ipv4' ? `10.0.0.${host}` : `fd00::${host}`;

export const translatedHost = 9;
export const servicePorts: readonly number[] = [53, 80];
export const clientPorts: readonly number[] = [4000, 4001];

export type Transport = 'tcp' | 'udp' | 'icmp' | 'sctp';

export interface Turn {
  readonly from: 'client' | 'server';
  readonly flags: number;
  readonly bytes: number;
}

export const turn = (from: Turn['from'], flags = 0, bytes = 0): Turn => ({ from, flags, bytes });

/** A conversation: who asked whom for what. */
export interface Conversation {
  readonly family: Family;
  readonly transport: Transport;
  readonly client: number;
  readonly server: number;
  readonly clientPort: number;
  readonly serverPort: number;
  /** Packets so far. */
  turn: number;
}
