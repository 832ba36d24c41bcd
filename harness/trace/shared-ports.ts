/** Ports of the datapath that all tunnels of a type share. */
import type { RecordedTunnel } from '../dumps/recorded-tunnel.js';

type Tunnel = Pick<RecordedTunnel, 'type' | 'options'>;

/** How the datapath calls the port that all tunnels of a type share (lib/netdev-vport.c). */
const sharedNames: Readonly<Record<string, { readonly prefix: string; readonly port?: number }>> = {
  geneve: { prefix: 'genev_sys', port: 6081 },
  vxlan: { prefix: 'vxlan_sys', port: 4789 },
  gre: { prefix: 'gre_sys' },
  ip6gre: { prefix: 'ip6gre_sys' },
  erspan: { prefix: 'erspan_sys' },
  ip6erspan: { prefix: 'ip6erspan_sys' },
  stt: { prefix: 'stt_sys', port: 7471 },
  lisp: { prefix: 'lisp_sys', port: 4341 },
  gtpu: { prefix: 'gtpu_sys', port: 2152 },
  bareudp: { prefix: 'bareudp_sys', port: 6635 },
  srv6: { prefix: 'srv6_sys' },
};
/** Types of tunnels (ovs-vswitchd.conf.db(5), table Interface, "type"). */
export const tunnelTypes: ReadonlySet<string> = new Set(Object.keys(sharedNames));
/** What they carry has no Ethernet header, unless options say otherwise. */
const layer3Types: ReadonlySet<string> = new Set(['lisp', 'gtpu', 'bareudp', 'srv6']);

/** Whether frames with an Ethernet header come out of it. */
export function carriesFrames({ type, options }: Tunnel): boolean {
  const packets = options['packet_type'];
  return layer3Types.has(type)
    ? packets === 'legacy_l2' || packets === 'ptap'
    : packets !== 'legacy_l3';
}

/** `vxlan_sys_4789` */
export function sharedName({ type, options }: Tunnel): string {
  const { prefix, port } = sharedNames[type] ?? { prefix: '' };
  return port === undefined ? prefix : `${prefix}_${options['dst_port'] ?? port}`;
}

/** Whether some type of tunnel has a port of that name. */
export function isSharedName(text: string): boolean {
  return Object.values(sharedNames).some(({ prefix, port }) =>
    new RegExp(`^${prefix}${port === undefined ? '' : String.raw`_\d+`}$`).test(text),
  );
}
