/** How a packet gets into the overlay between hypervisors, and out of it. */
import type { TunnelType } from '../../domain/plan/port-plan.js';

/** The port of the tunnel, and what flows do with it. */
export interface OverlayPort {
  readonly name: string;
  readonly ofport: number;
  readonly tunnel: TunnelType;
}

export const vxlanPort: OverlayPort = { name: 'vxlan0', ofport: 2, tunnel: 'vxlan' };

/** VXLAN: the frame as it is, and the virtual network's number as the identifier. */
export function intoOverlay(label: number, hypervisor: string, port: OverlayPort): string {
  return `set_field:${label}->tun_id,set_field:${hypervisor}->tun_dst,output:${port.ofport}`;
}

/** Of the network with that label, from the overlay. */
export function fromOverlay(label: number, port: OverlayPort): string {
  return `in_port=${port.ofport},tun_id=${label}`;
}
