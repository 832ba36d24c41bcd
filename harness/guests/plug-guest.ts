/** A guest at a port. */
import type { GuestImage } from '../../images/guest/guest-image.js';
import type { Teardown } from '../base/concurrency/teardown.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import { firstInterface } from './hosts-of-plan.js';
import type { LiveCluster } from './live-cluster.js';
import type { LiveNetwork, PortAt } from './live-network.js';
import { startGuest, type VirtualMachine } from './virtual-machine.js';

/** Where guests run. */
export interface GuestPlace {
  readonly network: LiveNetwork;
  readonly cluster: LiveCluster;
  /** Ends them. */
  readonly undo: Teardown;
}

export interface PluggedGuest {
  readonly name: string;
  readonly host: HostPlan;
  readonly variables: Readonly<Record<string, string>>;
  readonly at: PortAt;
  readonly incoming?: string;
}

/** Starts a guest with its card in a port of a switch. */
export async function plugGuest(
  image: GuestImage,
  { network, cluster: { dir }, undo }: GuestPlace,
  { name, host, variables, at, incoming }: PluggedGuest,
): Promise<VirtualMachine> {
  const guest = await startGuest(image, {
    ...{ name, dir, mac: firstInterface(host).mac, variables },
    ...(incoming === undefined ? {} : { incoming }),
    onFrames: (frames) => {
      for (const frame of frames) network.send(at, frame);
    },
  });
  undo.add(() => guest.stop());
  network.plug(at, (frame) => {
    guest.card.send(frame);
  });
  await guest.qmp.execute('migrate-set-capabilities', {
    capabilities: [{ capability: 'events', state: true }],
  });
  return guest;
}
