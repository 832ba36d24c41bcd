/** ovn-controllers that end with their nodes, and start again on the databases of these. */
import type { Image } from '../ovs/process/image.js';
import { startController } from './chassis.js';
import type { Vswitch } from '../ovs/vswitch.js';
import { chassisOf, zoneOf, type RunningZone } from './running-zone.js';

export interface RestartingControllers {
  /** Its node ends: ovn-controller is killed, and the chassis stays in the databases. */
  endController(node: string): Promise<void>;
  /**
   * Every ovn-controller that has ended starts again, on the switch that its node has now. It is
   * programmed behind the next `apply`. @throws Unavailable with the last lines of the log.
   */
  startControllers(vswitchOf: (node: string) => Vswitch): Promise<void>;
}

/** @param stopping what ends each thing that was started is put there once it is. */
export function restartingOf(
  zones: readonly RunningZone[],
  image: Image,
  stopping: (() => Promise<void>)[],
): RestartingControllers {
  return {
    endController: async (node) => {
      zoneOf(zones, node).ended.add(node);
      await chassisOf(zones, node).stop();
    },
    startControllers: async (vswitchOf) => {
      for (const { chassis, ended } of zones)
        for (const [index, { plan }] of chassis.entries()) {
          if (!ended.has(plan.node)) continue;
          const started = await startController(image, plan, vswitchOf(plan.node));
          stopping.push(started.stop);
          chassis[index] = started;
          ended.delete(plan.node);
        }
    },
  };
}
