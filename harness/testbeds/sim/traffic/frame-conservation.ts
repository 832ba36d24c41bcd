/**
 * Whether every frame that went into a node's ports has been counted, and all that came out read.
 */
import type { CacheLookups } from '../../../domain/switching.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import {
  disagreements,
  isTakenIn,
  parseLookups,
  parsePortCounters,
  type PortCounters,
} from '../quiesce/conservation.js';
import { until } from '../../../base/concurrency/until.js';
import type { Wire } from './port-socket.js';
import { giveUpMs } from '../../../base/concurrency/deadline.js';

export interface FrameConservation {
  noteWritten(port: string, frames: number): void;
  /** A port that was just made: its counters start from zero. */
  noteNewPort(port: string): void;
  /**
   * @param before what has to be over first, and is sent in one piece with the first query.
   * @param how `as they come`: who asks will ask again without it, before what has come out is
   *   relied on. Where nothing can be under way, counters are not asked then.
   */
  waitUntilQuiet(before: readonly Promise<unknown>[], how?: 'as they come'): Promise<void>;
  /** Lookups in the datapath's cache, as they stood when it was last quiet. */
  lookups(): CacheLookups;
}

const limitMs = giveUpMs;

/** @param query what else is read, in one piece with the counters. */
export function frameConservationOf(
  node: string,
  vswitch: Vswitch,
  wires: readonly Wire[],
  query: () => Promise<void>,
): FrameConservation {
  const { call } = vswitch.vswitchd.unixctl;
  let lookups: CacheLookups = { hit: 0, missed: 0 };
  /** Frames put into each port since it was made. */
  const written = new Map<string, number>();
  return {
    noteWritten: (port, frames) => {
      written.set(port, (written.get(port) ?? 0) + frames);
    },
    noteNewPort: (port) => {
      written.delete(port);
    },
    lookups: () => lookups,
    waitUntilQuiet: async (before) => {
      let counted: ReadonlyMap<string, PortCounters> = new Map();
      let underWay: readonly Wire[] = [];
      await until(`node ${node} to be quiescent`, limitMs, async () => {
        if (underWay.length > 0)
          await vswitch.whileAlive(Promise.race(underWay.map((wire) => wire.more())));
        else {
          const [shown] = await Promise.all([call('dpctl/show', '-s'), query(), ...before]);
          lookups = parseLookups(shown);
          counted = parsePortCounters(shown);
        }
        // A switch whose database died still answers, but does not take frames any more.
        await vswitch.checkAlive();
        const totals = wires.map(({ port, arrived, answered }) => ({
          port,
          written: (written.get(port) ?? 0) + answered(),
          read: arrived(),
        }));
        // Once all that went in is counted in, what is counted out is on its way, and another query
        // would show nothing new.
        underWay = totals.every((wire) => isTakenIn(wire, counted))
          ? wires.filter((wire) => wire.arrived() < (counted.get(wire.port)?.sent ?? 0))
          : [];
        return disagreements(totals, counted);
      });
    },
  };
}
