/**
 * What a node's switch stands on: the devices at its ports, and how frames, links and time reach
 * them. Here: dummies, whose other ends are sockets of this process.
 */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Daemon } from '../../ovs/process/daemon.js';
import type { Unixctl } from '../../ovs/unixctl.js';
import { dummySwitch, type SwitchProcess, type Vswitch } from '../../ovs/vswitch.js';
import type { DatapathType } from './configure/insert-bridge.js';
import { openTunnels, tunnelsEnd } from './configure/underlay.js';
import { oneMainLoopIteration } from './quiesce/main-loop.js';
import { frameConservationOf, type FrameConservation } from './traffic/frame-conservation.js';
import type { Wire } from './traffic/port-socket.js';
import { wireOf } from './traffic/wires.js';

export interface Devices {
  readonly process: SwitchProcess;
  readonly datapath: DatapathType;
  readonly switching: 'in ovs-vswitchd' | 'in the kernel';
  /** Whose frames the switch gets: a kernel at its ports sends some of its own. */
  readonly frames: 'of calls alone' | 'of the kernel as well';
  /** What is attached to a port; made before the port is, where the switch does not make it. */
  wireOf(plan: NodePlan, port: string): Promise<Wire>;
  /** The switch has made all ports of the plan: devices of its own are brought up. */
  portsMade(plan: NodePlan): Promise<void>;
  /** Gives the underlay's bridge its addresses, routes and neighbours. */
  openTunnels(plan: NodePlan, vswitchd: Daemon): Promise<void>;
  /** Others have added tunnels: waits until they end there as well. */
  tunnelsAdded(plan: NodePlan, vswitchd: Daemon): Promise<void>;
  /**
   * Puts frames into a port. @returns what resolves once the switch has taken them in, where that
   * can be asked for; what they lead to, `FrameConservation` waits for.
   */
  put(
    call: Unixctl['call'],
    port: string,
    frames: readonly Uint8Array[],
  ): readonly Promise<unknown>[];
  setLink(call: Unixctl['call'], port: string, state: 'up' | 'down'): Promise<unknown>;
  /** @param query what else is read once the node is quiescent, in one piece with the counters. */
  conservationOf(
    node: string,
    vswitch: Vswitch,
    wires: readonly Wire[],
    query: () => Promise<void>,
  ): FrameConservation;
  /** So much time passes for what does not go by the daemon's clock. */
  pass(ms: number): Promise<void>;
  /** By what connections are forgotten, where that is not the daemon's clock. */
  readonly trackerClock?: RunningClock;
  /** The switch has no such port any more. */
  portGone(port: string): Promise<void>;
  /** Behind the end of the daemons. */
  close(): Promise<void>;
}

/** A clock that nobody stops: beside the time that passes for it, it runs by itself. */
export interface RunningClock {
  /** From here on `aheadMs` counts: nothing is tracked. */
  begin(): void;
  /** How much more of it has passed than was asked for. */
  aheadMs(): number;
}

/**
 * Makes devices of a node whose daemons are to run in `dir`. @throws Unavailable; then nothing of
 * them is left.
 */
export type DevicesOf = (plan: NodePlan, dir: string) => Promise<Devices>;

export const dummyDevices: DevicesOf = async (_, dir) => ({
  process: dummySwitch,
  datapath: 'system',
  switching: 'in ovs-vswitchd',
  frames: 'of calls alone',
  wireOf: (plan, port) => wireOf(plan, port, dir),
  portsMade: () => Promise.resolve(),
  openTunnels,
  tunnelsAdded: tunnelsEnd,
  // The switch takes one frame in each iteration of its main loop. Its socket would do as well, but
  // the switch reads that in two turns of its main loop a frame.
  put: (call, port, frames) => [
    call(
      'netdev-dummy/receive',
      port,
      ...frames.map((frame) => Buffer.from(frame).toString('hex')),
    ),
    ...frames.map(() => oneMainLoopIteration(call)),
  ],
  setLink: (call, port, state) => call('netdev-dummy/set-admin-state', port, state),
  conservationOf: frameConservationOf,
  pass: () => Promise.resolve(),
  portGone: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
