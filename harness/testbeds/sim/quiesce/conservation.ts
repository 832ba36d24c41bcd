/**
 * Quiet is proven by conservation: what went in was counted in, and what was counted out has
 * arrived.
 */

import { Unavailable } from '../../../base/errors/errors.js';
import type { CacheLookups } from '../../../domain/switching.js';

/** Frames through a port since it was made, as the switch counts them. */
export interface PortCounters {
  /** What the switch has taken from the port and dealt with. */
  readonly received: number;
  /** What the switch has sent to the port. */
  readonly sent: number;
}

/** The counters of every port from `dpctl/show -s` (ovs-vswitchd(8)), by the port's name. */
export function parsePortCounters(text: string): ReadonlyMap<string, PortCounters> {
  const port = /^ {2}port \d+: (\S+)(?: .*)?\n {4}RX packets:(\d+) .*\n {4}TX packets:(\d+) /gm;
  return new Map(
    [...text.matchAll(port)].map(([, name = '', received, sent]) => [
      name,
      { received: Number(received), sent: Number(sent) },
    ]),
  );
}

/**
 * Lookups of all packets in the datapath's cache, from `dpctl/show` (ovs-vswitchd(8)). @throws
 * Unavailable when it does not print them.
 */
export function parseLookups(text: string): CacheLookups {
  const [, hit, missed] = /^ {2}lookups: hit:(\d+) missed:(\d+) /m.exec(text) ?? [];
  if (hit === undefined)
    throw new Unavailable(`the datapath does not print its lookups: ${text.slice(0, 200)}`);
  return { hit: Number(hit), missed: Number(missed) };
}

/**
 * How many flows the datapath's cache holds, from the same. @throws Unavailable when it does not
 * print it.
 */
export function parseCachedFlows(text: string): number {
  const [, flows] = /^ {2}flows: (\d+)$/m.exec(text) ?? [];
  if (flows === undefined)
    throw new Unavailable(
      `the datapath does not print how many flows it caches: ${text.slice(0, 200)}`,
    );
  return Number(flows);
}

/** The wire's own account of a port: frames written to the switch and read from it. */
export interface WireTotals {
  readonly port: string;
  readonly written: number;
  readonly read: number;
}

/** Whether the switch has counted all that was written to the port. */
export function isTakenIn(
  { port, written }: WireTotals,
  counters: ReadonlyMap<string, PortCounters>,
): boolean {
  return counters.get(port)?.received === written;
}

/**
 * How the switch's counters disagree with the wires, one line each; none when the switch is
 * quiescent. The datapath counts a frame in and carries it through to its last copy in one go of
 * one thread, which also answers `dpctl/show`: once all that was written is counted in, the counts
 * of frames sent are final.
 */
export function disagreements(
  wires: readonly WireTotals[],
  counters: ReadonlyMap<string, PortCounters>,
): readonly string[] {
  return wires.flatMap(({ port, written, read }) => {
    const counted = counters.get(port);
    if (counted === undefined) return [`port ${port}: gone from the datapath`];
    return [
      ...(counted.received === written
        ? []
        : [
            `port ${port}: ${written} frames written, the switch counts ${counted.received} ` +
              'received',
          ]),
      ...(counted.sent === read
        ? []
        : [`port ${port}: the switch counts ${counted.sent} frames sent, ${read} arrived`]),
    ];
  });
}
