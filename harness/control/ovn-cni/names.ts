/**
 * Names in OVN and Open vSwitch of what the CNI plugin makes. The watcher finds the same rows by
 * them, and whoever predicts what the plugin does.
 */
import { formatIpv4, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { sha256 } from '../../base/files/digest.js';

/** A container's interface: what ADD makes and DEL takes away (CNI specification, "Attachment"). */
export interface Attachment {
  readonly containerId: string;
  readonly ifname: string;
}

/** The router that `init` looks for by default. */
export const defaultRouter = 'k8s_router';
export const integrationBridge = 'br-int';

/** The port group whose ports take in nothing: each port is in it from the start. */
export const dropGroup = 'ovn_cni_drop';
/** The port group of ports that take in everything. */
export const passGroup = 'ovn_cni_pass';
/** The same for what ports send; both are there only where Egress is enforced. */
export const dropOutGroup = 'ovn_cni_drop_out';
export const passOutGroup = 'ovn_cni_pass_out';
/** ACLs of the drop group stand below all others. */
export const priorities = { drop: 1000, pass: 1001, policy: 1002 } as const;

/** Keys of external_ids. */
export const keys = {
  /** Of every row of ours, with the value `ovn_cni`. */
  owner: 'owner',
  subnet: 'cni_subnet',
  container: 'cni_container',
  ifname: 'cni_ifname',
  network: 'cni_network',
  pod: 'k8s_pod_name',
  namespace: 'k8s_pod_namespace',
  uid: 'k8s_pod_uid',
  policy: 'k8s_network_policy',
} as const;
export const owner = 'ovn_cni';

/** Ids of containers have no slash, nor have names of interfaces. */
export function logicalPortOf({ containerId, ifname }: Attachment): string {
  return `${containerId}/${ifname}`;
}

/** The interface on the bridge. Linux takes 15 bytes. */
export function hostInterfaceOf(attachment: Attachment): string {
  return `c${sha256(logicalPortOf(attachment)).slice(0, 13)}`;
}

export const routerPortOf = (node: string) => `rtos-${node}`;
export const switchPortOf = (node: string) => `stor-${node}`;

/** Of the IPv4 address alone, so that nobody has to remember it. */
export function macOfAddress(ip: string): string {
  const number = ipv4Number(ip);
  const bytes = [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff);
  return [0x0a, 0x58, ...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** The key in external_ids of a node's logical switch that says who holds the address. */
export const addressKey = (ip: string) => `cni_ip_${ip}`;
/** The value there of an address that was held: chassis may still have flows of its holder. */
export const released = 'released';

/** The router's address in the subnet: the first. */
export function gatewayOf(subnet: string): string {
  return formatIpv4(parseCidr(subnet).number + 1);
}

/** The addresses that containers of the subnet can have, in order. */
export function* addressesIn(subnet: string): Generator<string> {
  const { number: first, prefixLength } = parseCidr(subnet);
  const last = first + 2 ** (32 - prefixLength) - 2;
  for (let number = first + 2; number <= last; number++) yield formatIpv4(number);
}
