/**
 * Whether a switch whose datapath is in ovs-vswitchd is done with all that went into its ports: it
 * counts the packets that it has taken up, and carries each through before it answers.
 */
import { until } from '../../base/concurrency/until.js';
import type { CacheLookups } from '../../domain/switching.js';
import type { Vswitch } from '../../ovs/vswitch.js';
import { parseLookups, parsePortCounters } from '../sim/quiesce/conservation.js';
import type { FrameConservation } from '../sim/traffic/frame-conservation.js';
import type { Wire } from '../sim/traffic/port-socket.js';
import type { Carrier } from './carrier.js';

export const limitMs = 10_000;

export function countedConservation(
  node: string,
  vswitch: Vswitch,
  wires: readonly Wire[],
  query: () => Promise<void>,
  carrier: Carrier,
): FrameConservation {
  const { call } = vswitch.vswitchd.unixctl;
  let lookups: CacheLookups = { hit: 0, missed: 0 };
  let written = 0;
  /** By wires that are no longer. */
  const answeredBefore = new Map<Wire, number>();
  return {
    noteWritten: (_, frames) => void (written += frames),
    noteNewPort: () => undefined,
    lookups: () => lookups,
    waitUntilQuiet: (before) =>
      until(`node ${node} to be quiescent`, limitMs, async () => {
        const [stats] = await Promise.all([call('dpif-netdev/pmd-stats-show'), query(), ...before]);
        // Asked afterwards: what is counted as received by then is in its lookups and its ports.
        const shown = await call('dpctl/show', '-s');
        lookups = parseLookups(shown);
        const counted = parsePortCounters(shown);
        await carrier.sync();
        await vswitch.checkAlive();
        for (const wire of wires) answeredBefore.set(wire, wire.answered());
        const expected = [...answeredBefore.values()].reduce((sum, count) => sum + count, written);
        const received = parseReceived(stats);
        return [
          ...(received === expected
            ? []
            : [`${expected} frames went into its ports, it has taken up ${received}`]),
          ...unread(wires, counted),
        ];
      }),
  };
}

/** Packets that all threads of the datapath have taken from ports (dpif-netdev(7)). */
export function parseReceived(stats: string): number {
  return [...stats.matchAll(/^ {2}packets received: (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Ports out of which more came, as the kernel counts it, than was seen. */
export function unread(
  wires: readonly Wire[],
  counted: ReturnType<typeof parsePortCounters>,
): readonly string[] {
  return wires.flatMap(({ port, arrived }) => {
    const sent = counted.get(port)?.sent;
    if (sent === undefined) return [`port ${port}: gone from the datapath`];
    return sent === arrived()
      ? []
      : [`port ${port}: the switch counts ${sent} frames sent, ${arrived()} arrived`];
  });
}
