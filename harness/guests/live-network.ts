/**
 * What switches of the sim stand on where frames flow by themselves: ports whose other ends are
 * cards of guests, and a cable between the uplinks of nodes.
 */
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import { socketPath } from '../ovs/workspace/socket-path.js';
import { dummyDevices, type DevicesOf } from '../testbeds/sim/devices.js';
import { listenFrames, type FrameSocket } from '../testbeds/sim/traffic/frame-socket.js';
import type { FrameConservation } from '../testbeds/sim/traffic/frame-conservation.js';
import { deviceAt, portLengthBytes, type Wire } from '../testbeds/sim/traffic/port-socket.js';

/** A frame at a port, as it was handed over: by the switch, or by a guest. */
export interface SeenFrame {
  readonly node: string;
  readonly port: string;
  readonly direction: 'from the switch' | 'to the switch';
  /** Of this machine's clock, since some moment. */
  readonly atMs: number;
  readonly frame: Uint8Array;
}

/** A port, by its node. */
export interface PortAt {
  readonly node: string;
  readonly port: string;
}

export interface LiveNetwork {
  readonly devicesOf: DevicesOf;
  /** What has crossed ports that are no uplinks. */
  readonly seen: readonly SeenFrame[];
  /** Resolves when more has. */
  more(): Promise<void>;
  /** Frames out of a port go there, from now on. */
  plug(place: PortAt, take: (frame: Uint8Array) => void): void;
  /** As if the switch had put it out of the port. */
  handOver(place: PortAt, frame: Uint8Array): void;
  /** Into the switch. */
  send(place: PortAt, frame: Uint8Array): void;
}

/** @param nowMs of this machine's clock. */
export function liveNetwork(nowMs: () => number): LiveNetwork {
  const sockets = new Map<string, FrameSocket>();
  const uplinks = new Map<string, FrameSocket>();
  const cards = new Map<string, (frame: Uint8Array) => void>();
  const seen: SeenFrame[] = [];
  let notify: () => void = () => undefined;
  const keyOf = ({ node, port }: PortAt) => `${node} ${port}`;
  const note = (place: PortAt, direction: SeenFrame['direction'], frame: Uint8Array) => {
    seen.push({ ...place, direction, atMs: nowMs(), frame });
    notify();
  };
  const between = (from: string) => (frames: readonly Uint8Array[]) => {
    for (const [node, socket] of uplinks)
      if (node !== from) for (const frame of frames) socket.send(frame);
  };
  const outOf = (place: PortAt) => (frames: readonly Uint8Array[]) => {
    for (const frame of frames) {
      note(place, 'from the switch', frame);
      cards.get(keyOf(place))?.(frame);
    }
  };
  const wireOf = async (plan: NodePlan, port: string, dir: string): Promise<Wire> => {
    const { node } = plan;
    const path = socketPath(dir, port, '.port');
    const isUplink = plan.bridges.some(({ ports }) =>
      ports.some((one) => one.name === port && one.kind === 'uplink'),
    );
    const place = { node, port };
    const taken = isUplink ? between(node) : outOf(place);
    const socket = await listenFrames(path, portLengthBytes, taken);
    if (isUplink) uplinks.set(node, socket);
    else sockets.set(keyOf(place), socket);
    return {
      port,
      device: deviceAt(path),
      connected: socket.connected,
      arrived: () => 0,
      answered: () => 0,
      more: () => new Promise(() => undefined),
      take: () => [],
      close: async () => {
        if (sockets.get(keyOf(place)) === socket) sockets.delete(keyOf(place));
        await socket.close();
      },
    };
  };
  return {
    devicesOf: async (planned, dir) => ({
      ...(await dummyDevices(planned, dir)),
      frames: 'of the kernel as well',
      wireOf: (plan, port) => wireOf(plan, port, dir),
      conservationOf: (_node, _vswitch, _wires, query) => nothingToConserve(query),
    }),
    seen,
    more: () => new Promise((resolve) => (notify = resolve)),
    handOver: (place, frame) => {
      outOf(place)([frame]);
    },
    plug: (place, take) => void cards.set(keyOf(place), take),
    send: (place, frame) => {
      note(place, 'to the switch', frame);
      sockets.get(keyOf(place))?.send(frame);
    },
  };
}

/** Guests send when they like: it is never quiet, and nothing is put in here that had to be. */
function nothingToConserve(query: () => Promise<void>): FrameConservation {
  return {
    noteWritten: () => undefined,
    noteNewPort: () => undefined,
    lookups: () => ({ hit: 0, missed: 0 }),
    waitUntilQuiet: async (before) => {
      await Promise.all([query(), ...before]);
    },
  };
}
