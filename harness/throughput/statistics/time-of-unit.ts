/** How long a unit of traffic takes, from what each stage on its way needs of processors. */

/** Nanoseconds of processors that a unit needs in each. */
export interface Stages {
  readonly client: number;
  /** Clients that work at the same time. */
  readonly clients: number;
  readonly server: number;
  readonly proxy: number;
  /** In all switches together, and how many of them share it. */
  readonly switches: number;
  readonly switchCount: number;
}

/**
 * Stages work at the same time, one thread each and one a client, so that the slowest decides;
 * where there are more of them than processors, those decide together.
 */
export function timeOfUnit(
  { client, clients, server, proxy, switches, switchCount }: Stages,
  processors: number,
): number {
  const slowest = Math.max(
    client / Math.max(clients, 1),
    server,
    proxy,
    switches / Math.max(switchCount, 1),
  );
  return Math.max(slowest, (client + server + proxy + switches) / processors);
}
