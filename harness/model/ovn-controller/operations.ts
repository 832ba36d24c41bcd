/** What ovn-controller is asked to do with a packet that a flow hands to it. */

/** In the order of their codes (OVN include/ovn/actions.h, ACTION_OPCODES). */
const operations = [
  'arp',
  'put_arp',
  'put_dhcp_opts',
  'nd_na',
  'put_nd',
  'put_dhcpv6_opts',
  'dns_lookup',
  'log',
  'put_nd_ra_opts',
  'nd_ns',
  'icmp4 or icmp6',
  'tcp_reset',
  'nd_na_router',
  'icmp4.frag_mtu',
  'icmp4_error',
  'trigger_event',
  'igmp',
  'bind_vport',
  'handle_svc_check',
  'handle_dhcpv6_reply',
  'icmp6_error',
  'icmp6.frag_mtu',
  'reject',
  'handle_bfd_msg',
  'sctp_abort',
  'put_fdb',
  'activation_strategy_rarp',
] as const;
export type Operation = (typeof operations)[number];

/** The first eight bytes of what comes with the packet: a number, and four that say nothing. */
const headerBytes = 8;

export interface Request {
  readonly operation: Operation;
  readonly argument: Uint8Array;
}

/** Undefined for what is none of OVN's. */
export function requestIn(userdata: readonly number[]): Request | undefined {
  if (userdata.length < headerBytes) return undefined;
  const code = userdata.slice(0, 4).reduce((number, byte) => number * 256 + byte, 0);
  const operation = operations[code];
  return operation === undefined
    ? undefined
    : { operation, argument: Uint8Array.from(userdata.slice(headerBytes)) };
}

/** In words, where it is none that is known as well. */
export function operationText(userdata: readonly number[], otherwise: string): string {
  if (userdata.length < 4) return otherwise;
  const code = userdata.slice(0, 4).reduce((number, byte) => number * 256 + byte, 0);
  return operations[code] ?? `operation ${code}`;
}
