/**
 * How a packet gets into the overlay between hypervisors, and out of it: the three encapsulations
 * of a vRouter. The label is the virtual network's: VXLAN's identifier, or MPLS's label.
 */
import type { TunnelOptions, TunnelType } from '../../domain/plan/port-plan.js';
import type { Overlay } from '../../../topologies/contrail/contrail-cluster.js';

/** The port of the tunnel. */
export interface OverlayPort {
  readonly name: string;
  readonly ofport: number;
  readonly tunnel: TunnelType;
  /** Beside its own address. */
  readonly options: TunnelOptions;
}

export const overlayPorts: Readonly<Record<Overlay, OverlayPort>> = {
  vxlan: {
    name: 'vxlan0',
    ofport: 2,
    tunnel: 'vxlan',
    options: { remote_ip: 'flow', key: 'flow' },
  },
  // RFC 4023, section 3.2: the label stands behind GRE's header, which has no key.
  'mpls-over-gre': {
    name: 'gre0',
    ofport: 2,
    tunnel: 'gre',
    options: { remote_ip: 'flow', packet_type: 'legacy_l3' },
  },
  // RFC 7510; Open vSwitch's port type for it, ovs-vswitchd.conf.db(5).
  'mpls-over-udp': {
    name: 'udp0',
    ofport: 2,
    tunnel: 'bareudp',
    options: { remote_ip: 'flow', payload_type: 'mpls', dst_port: '6635' },
  },
};

/** From a bridge's table for all that leaves; of MPLS the packet goes without its frame. */
export function intoOverlay(label: number, hypervisor: string, port: OverlayPort): string {
  const way = `set_field:${hypervisor}->tun_dst,output:${port.ofport}`;
  return hasFrames(port)
    ? `set_field:${label}->tun_id,${way}`
    : `push_mpls:0x8847,set_field:${label}->mpls_label,${way}`;
}

/** Of the network with that label, from the overlay. */
export function fromOverlay(label: number, port: OverlayPort): string {
  return hasFrames(port)
    ? `in_port=${port.ofport},tun_id=${label}`
    : `in_port=${port.ofport},mpls,mpls_label=${label},mpls_bos=1`;
}

/** Packets of the overlay between hypervisors: RFC 7348, RFC 2784, RFC 7510. */
export function overlayPackets({ tunnel, options }: OverlayPort): string {
  if (tunnel === 'gre') return 'ip,nw_proto=47';
  return `udp,tp_dst=${tunnel === 'vxlan' ? 4789 : options.dst_port}`;
}

/** Whether frames go through it as they are; else a label and a packet of IP. */
export function hasFrames({ tunnel }: OverlayPort): boolean {
  return tunnel === 'vxlan';
}
