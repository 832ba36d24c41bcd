/** What of a node's network depends on where its tunnels end: in the kernel, or in ovs-vswitchd. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Daemon } from '../../ovs/process/daemon.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { DatapathType } from '../sim/configure/insert-bridge.js';
import { tunnelsEnd } from '../sim/configure/underlay.js';
import type { Devices } from '../sim/devices.js';
import type { Carrier } from './carrier.js';
import { isProbe, withoutKernelChoices } from './kernel-choices.js';
import { underlaySettings } from './node-settings.js';
import { takenByTunnels } from './taken-by-tunnels.js';

/** The node's plan with the tunnels that are there. */
export interface Now {
  plan: NodePlan;
}

/** Which frames at a port's device nobody there sees, and the others as the model has them. */
export function framesAt(datapath: DatapathType, now: Now, plan: NodePlan, port: string) {
  if (datapath === 'netdev') return [() => false, (frame: Uint8Array) => frame] as const;
  return [takenNow(now, port), withoutKernelChoices(plan)] as const;
}

function takenNow(now: Now, port: string): (frame: Uint8Array) => boolean {
  let of = now.plan;
  let taken = takenByTunnels(of, port);
  return (frame) => {
    if (of !== now.plan) taken = takenByTunnels((of = now.plan), port);
    return taken(frame) || isProbe(frame);
  };
}

/** The node's part in the network between nodes. */
export function networkOf(
  carrier: Carrier,
  datapath: DatapathType,
  now: Now,
): Pick<Devices, 'openTunnels' | 'tunnelsAdded'> {
  // Those of the kernel end where its addresses are.
  const tunnelsAdded = async (plan: NodePlan, vswitchd: Daemon) => {
    now.plan = plan;
    if (datapath === 'netdev') await tunnelsEnd(plan, vswitchd);
  };
  return {
    tunnelsAdded,
    openTunnels: async (plan, vswitchd) => {
      const lines = underlaySettings(plan);
      if (lines.length > 0)
        await carrier.run([systemProgram('ip'), '-batch', '-'], `${lines.join('\n')}\n`);
      await tunnelsAdded(plan, vswitchd);
    },
  };
}
