import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { socketPath } from '../../../ovs/workspace/socket-path.js';
import { deviceArpReply } from '../../../packet/protocols/link/device-arp.js';
import { listenPort, type Wire } from './port-socket.js';

/**
 * Listens for the switch in `dir` to connect its port; what it connects to stands in the database
 * by the same path.
 */
export async function wireOf(plan: NodePlan, port: string, dir: string): Promise<Wire> {
  return await listenPort(port, socketPath(dir, port, '.port'), answersOf(plan, port));
}

/** Devices where tunnels end answer ARP, and count what they answer as received. */
export function answersOf({ bridges }: NodePlan, port: string): (frame: Uint8Array) => boolean {
  const bridge = bridges.find(({ name }) => name === port);
  if (bridge?.underlay === undefined) return () => false;
  const device = { ip: bridge.underlay.ip, mac: bridge.mac };
  return (frame) => deviceArpReply(frame, device) !== undefined;
}
