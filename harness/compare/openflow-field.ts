/** OpenFlow's names for the fields in which two frames differ. */
import type { FrameDifference } from './compare-frames.js';

const tunnelFields: Readonly<Record<string, string>> = {
  'ip.src': 'tun_src',
  'ip.dst': 'tun_dst',
  'eth.dst': 'tun_dst',
  'geneve.vni': 'tun_id',
  'vxlan.vni': 'tun_id',
  'gre.key': 'tun_id',
};

const packetFields: Readonly<Record<string, string>> = {
  'eth.src': 'eth_src',
  'eth.dst': 'eth_dst',
  'eth.type': 'eth_type',
  'ip.src': 'ip_src',
  'ip.dst': 'ip_dst',
  'ip.ttl': 'nw_ttl',
  'ip.tos': 'nw_tos',
  'arp.op': 'arp_op',
  'arp.sha': 'arp_sha',
  'arp.spa': 'arp_spa',
  'arp.tha': 'arp_tha',
  'arp.tpa': 'arp_tpa',
  'udp.src': 'udp_src',
  'udp.dst': 'udp_dst',
};

/**
 * OpenFlow's name for the first field in which a frame differs; what is around a tunnelled frame
 * comes from tunnel fields.
 */
export function openflowField(frame: FrameDifference | undefined): string | undefined {
  const [name] = frame?.fields ?? [];
  if (frame === undefined || name === undefined) return undefined;
  if (frame.tunnelled && !name.startsWith('inner.')) return tunnelFields[name];
  return packetFields[name.replace(/^inner\./, '')];
}
