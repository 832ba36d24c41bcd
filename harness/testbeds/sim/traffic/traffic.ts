/** Frames into and out of one node, and the certainty that none is under way. */
import { assert, InputError } from '../../../base/errors/errors.js';
import type { CacheLookups, SwitchStep } from '../../../domain/switching.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import { until } from '../quiesce/until.js';
import {
  disagreements,
  isTakenIn,
  parseLookups,
  parsePortCounters,
  type PortCounters,
} from '../quiesce/conservation.js';
import type { Controllers } from '../observe/controllers.js';
import { oneMainLoopIteration } from '../quiesce/main-loop.js';
import type { PortSocket } from './port-socket.js';

export interface Traffic {
  /**
   * Puts frames into the port's receive queue and waits until all is quiet: its socket would do as
   * well, but the switch reads that in two turns of its main loop a frame.
   */
  put(port: string, frames: readonly Uint8Array[]): Promise<void>;
  quiet(): Promise<void>;
  /** What came out since it was last asked, but for ports whose links are down. */
  take(): SwitchStep;
  /** Lookups in the datapath's cache, as they stood when it was last quiet. */
  lookups(): CacheLookups;
  /** A port that comes, or goes. */
  attach(wire: PortSocket): void;
  detach(port: string): Promise<void>;
  hasWire(port: string): boolean;
}

/** What a switch takes for a frame: an Ethernet header at least, and a length of 16 bits. */
const frameBytes = { shortest: 14, longest: 0xffff } as const;
const limitMs = 10_000;

/**
 * @param askAlso asks what else is to be known once all is quiet: in one piece with what tells that
 *   it is, so that its last answer is of that moment.
 */
export function trafficOf(
  node: string,
  vswitch: Vswitch,
  wires: PortSocket[],
  controllers: Controllers,
  isDown: (port: string) => boolean,
  askAlso: () => Promise<void>,
): Traffic {
  const { call } = vswitch.vswitchd.unixctl;
  let lookups: CacheLookups = { hit: 0, missed: 0 };
  /** Frames put into each port since it was made. */
  const written = new Map<string, number>();
  /** @param before what the first look is to come behind, and is asked in one piece with. */
  const waitUntilQuiet = async (before: readonly Promise<unknown>[]) => {
    let counted: ReadonlyMap<string, PortCounters> = new Map();
    let underWay: readonly PortSocket[] = [];
    await until(`node ${node} to be quiet`, limitMs, async () => {
      if (underWay.length > 0)
        await vswitch.whileAlive(Promise.race(underWay.map((wire) => wire.more())));
      else {
        const [told] = await Promise.all([call('dpctl/show', '-s'), askAlso(), ...before]);
        lookups = parseLookups(told);
        counted = parsePortCounters(told);
      }
      // A switch whose database died still answers, but does not take frames any more.
      await vswitch.checkAlive();
      const totals = wires.map(({ port, arrived, answered }) => ({
        port,
        written: (written.get(port) ?? 0) + answered(),
        read: arrived(),
      }));
      // Once all that went in is counted in, what is counted out is on its way, and there is
      // nothing more to ask.
      underWay = totals.every((wire) => isTakenIn(wire, counted))
        ? wires.filter((wire) => wire.arrived() < (counted.get(wire.port)?.sent ?? 0))
        : [];
      return disagreements(totals, counted);
    });
  };
  return {
    quiet: () => controllers.settle(() => waitUntilQuiet([])),
    put: async (port, frames) => {
      if (!wires.some((wire) => wire.port === port))
        throw new InputError(`there is no port ${JSON.stringify(port)} that a host is at`);
      for (const { length } of frames)
        assert(
          length >= frameBytes.shortest && length <= frameBytes.longest,
          `a frame has ${frameBytes.shortest} to ${frameBytes.longest} bytes, not ${length}`,
        );
      // The switch takes a frame a turn.
      const taken = [
        call(
          'netdev-dummy/receive',
          port,
          ...frames.map((frame) => Buffer.from(frame).toString('hex')),
        ),
        ...frames.map(() => oneMainLoopIteration(call)),
      ];
      written.set(port, (written.get(port) ?? 0) + frames.length);
      await controllers.settle(() => waitUntilQuiet(taken));
    },
    take: () => {
      const packetIns = controllers.take();
      const outputs = wires
        .toSorted((a, b) => (a.port < b.port ? -1 : 1))
        .flatMap((wire) => wire.take().map((frame) => ({ port: wire.port, frame })))
        .filter(({ port }) => !isDown(port));
      return packetIns === undefined ? { outputs } : { outputs, packetIns };
    },
    lookups: () => lookups,
    attach: (wire) => {
      written.delete(wire.port);
      wires.push(wire);
    },
    detach: async (port) => {
      const [gone] = wires.splice(
        wires.findIndex((wire) => wire.port === port),
        1,
      );
      await gone?.close();
    },
    hasWire: (port) => wires.some((wire) => wire.port === port),
  };
}
