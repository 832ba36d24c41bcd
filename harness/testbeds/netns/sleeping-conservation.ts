/**
 * Whether a switch whose datapath is in the kernel is done with all that went into its ports. The
 * kernel carries a packet through before the call returns that put it in; what it does not know it
 * hands to ovs-vswitchd, which is then about to run. In a world of its own that goes ahead of this
 * process: it has run.
 */
import { until } from '../../base/concurrency/until.js';
import { yieldToEventLoop } from '../../base/concurrency/yield-to-event-loop.js';
import type { CacheLookups } from '../../domain/switching.js';
import { isInWorld } from '../../base/world.js';
import { areThreadsAsleep } from '../../ovs/process/threads-asleep.js';
import type { Vswitch } from '../../ovs/vswitch.js';
import { parseLookups, parsePortCounters, type PortCounters } from '../sim/quiesce/conservation.js';
import type { FrameConservation } from '../sim/traffic/frame-conservation.js';
import type { Wire } from '../sim/traffic/port-socket.js';
import type { Carrier } from './carrier.js';
import { limitMs, unread } from './counted-conservation.js';

export function sleepingConservation(
  node: string,
  vswitch: Vswitch,
  wires: readonly Wire[],
  query: () => Promise<void>,
  carrier: Carrier,
): FrameConservation {
  const { call } = vswitch.vswitchd.unixctl;
  let lookups: CacheLookups = { hit: 0, missed: 0 };
  return {
    noteWritten: () => undefined,
    noteNewPort: () => undefined,
    lookups: () => lookups,
    waitUntilQuiet: async (before, how) => {
      await Promise.all(before);
      if (how !== undefined && isInWorld()) {
        await yieldToEventLoop();
        await carrier.sync();
        return await vswitch.checkAlive();
      }
      await until(`node ${node} to be quiescent`, limitMs, async () => {
        await yieldToEventLoop();
        if (!isInWorld() && !areThreadsAsleep(vswitch.vswitchd.pid)) {
          await vswitch.checkAlive();
          return ['some threads of ovs-vswitchd are at work'];
        }
        const [shown] = await Promise.all([call('dpctl/show', '-s'), query()]);
        lookups = parseLookups(shown);
        await carrier.sync();
        await vswitch.checkAlive();
        return unread(wires, portCountersOfKernel(shown));
      });
    },
  };
}

/**
 * As `parsePortCounters` reads them, but for the datapath's own devices: the kernel counts these
 * from their side (net/openvswitch/vport-internal_dev.c), and what they receive the switch has
 * sent.
 */
export function portCountersOfKernel(shown: string): ReadonlyMap<string, PortCounters> {
  const own = new Set(
    [...shown.matchAll(/^ {2}port \d+: (\S+) \(internal\)$/gm)].map(([, name]) => name),
  );
  return new Map(
    [...parsePortCounters(shown)].map(([name, { received, sent }]) => [
      name,
      own.has(name) ? { received: sent, sent: received } : { received, sent },
    ]),
  );
}
