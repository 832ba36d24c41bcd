/**
 * What a bridge that OVN programs hands to its ovn-controller, which acts on it: none of that is
 * modelled yet, so it is refused by name.
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { PacketIn, SwitchStep } from '../../domain/switching.js';
import type { ModelNode } from '../../model/model-node.js';

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

/** @throws Unsupported naming the action where a packet has been handed to an ovn-controller. */
export function refuseOvnController(
  { name, bridges }: ModelNode,
  { packetIns = [] }: SwitchStep = { outputs: [] },
): void {
  const first = packetIns.find(({ bridge }) =>
    bridges.some(({ plan }) => plan.name === bridge && plan.origin === 'dumped'),
  );
  if (first !== undefined)
    throw new Unsupported(
      `${first.bridge} of ${name}, table ${first.table}, hands a packet to ovn-controller for ` +
        `"${operationOf(first)}": what that makes of it is not modelled`,
    );
}

/** The first four bytes of what comes with the packet name it. */
function operationOf({ userdata, reason }: PacketIn): string {
  if (userdata.length < 4) return reason;
  const code = userdata.slice(0, 4).reduce((number, byte) => number * 256 + byte, 0);
  return operations[code] ?? `operation ${code}`;
}
