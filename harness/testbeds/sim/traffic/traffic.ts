/** Frames into and out of one node, and the certainty that none is under way. */
import { assert, InputError } from '../../../base/errors/errors.js';
import type { CacheLookups, SwitchStep } from '../../../domain/switching.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import type { Devices } from '../devices.js';
import { neverCached, type ProgramUse } from '../../ovs-switches.js';
import type { Controllers } from '../observe/controllers.js';
import type { Wire } from './port-socket.js';

export interface Traffic {
  /** Puts frames into the port and waits until the node is quiescent. */
  put(port: string, frames: readonly Uint8Array[]): Promise<void>;
  quiet(): Promise<void>;
  /** What came out since it was last asked, but for ports whose links are down. */
  take(): SwitchStep;
  /** Lookups in the datapath's cache, as they stood when it was last quiet. */
  lookups(): CacheLookups;
  /** How many packets a controller that the plan does not have has answered by then. */
  answered(): number;
  /** A port that comes, or goes. */
  attach(wire: Wire): void;
  /** A port that a program plugs; nothing is counted there before `plugged`. */
  attachLater(wire: Wire): void;
  /** Programs have plugged ports, and unplugged all others than these. */
  plugged(ports: readonly string[]): Promise<void>;
  detach(port: string): Promise<void>;
  hasWire(port: string): boolean;
}

/** What a switch takes for a frame: an Ethernet header at least, and a length of 16 bits. */
const frameBytes = { shortest: 14, longest: 0xffff } as const;

/**
 * @param query reads what else has to be known once the node is quiescent: in one piece with the
 *   counters that show it, so that its last answer is of that moment.
 */
export function trafficOf(
  node: string,
  vswitch: Vswitch,
  devices: Devices,
  wires: Wire[],
  controllers: Controllers,
  isDown: (port: string) => boolean,
  query: () => Promise<void>,
  use: ProgramUse,
): Traffic {
  const conservation = devices.conservationOf(node, vswitch, wires, query);
  const waitUntilQuiet = (before: readonly Promise<unknown>[], how?: 'as they come') =>
    controllers.quiesce(() => conservation.waitUntilQuiet(before, how));
  const later: Wire[] = [];
  const attach = (wire: Wire) => {
    conservation.noteNewPort(wire.port);
    wires.push(wire);
  };
  const detach = async (port: string) => {
    const [gone] = wires.splice(
      wires.findIndex((wire) => wire.port === port),
      1,
    );
    await gone?.close();
  };
  return {
    attach,
    detach,
    attachLater: (wire) => void later.push(wire),
    plugged: async (ports) => {
      for (const wire of later.splice(0)) attach(wire);
      for (const { port } of [...wires]) if (!ports.includes(port)) await detach(port);
    },
    quiet: () => waitUntilQuiet([]),
    put: async (port, frames) => {
      if (!wires.some((wire) => wire.port === port))
        throw new InputError(`there is no port ${JSON.stringify(port)} that a host is at`);
      for (const { length } of frames)
        assert(
          length >= frameBytes.shortest && length <= frameBytes.longest,
          `a frame has ${frameBytes.shortest} to ${frameBytes.longest} bytes, not ${length}`,
        );
      const taken = devices.put(vswitch.vswitchd.unixctl.call, port, frames);
      conservation.noteWritten(port, frames.length);
      // What ovs-vswitchd is handed for a controller may still be under way where frames are not.
      const isOfFramesAlone = use === neverCached && controllers.listen === 'nobody';
      await waitUntilQuiet(taken, isOfFramesAlone ? 'as they come' : undefined);
    },
    take: () => {
      const packetIns = controllers.take();
      const outputs = wires
        .toSorted((a, b) => (a.port < b.port ? -1 : 1))
        .flatMap((wire) => wire.take().map((frame) => ({ port: wire.port, frame })))
        .filter(({ port }) => !isDown(port));
      return packetIns === undefined ? { outputs } : { outputs, packetIns };
    },
    lookups: conservation.lookups,
    answered: controllers.answered,
    hasWire: (port) => wires.some((wire) => wire.port === port),
  };
}
