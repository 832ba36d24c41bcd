/**
 * What ovn-controller makes of a packet that a flow hands to it (OVN controller/pinctrl.c): the
 * part of OVN that no flow says.
 */
import type { DnsRecords } from '../../domain/plan/bridge-plan.js';
import type { Packet } from '../packet/packet.js';
import type { ControllerAnswer } from './controller-answer.js';
import { dhcpReply } from './dhcp-reply.js';
import { dhcpv6Reply } from './dhcpv6-reply.js';
import { dnsReply } from './dns-reply.js';
import { readNestedActions } from './nested-actions.js';
import { advertisement, arpRequest, solicitation } from './neighbours.js';
import { requestIn, type Request } from './operations.js';
import { icmpError, rejection, tcpReset } from './rejections.js';
import { routerAdvertisement } from './router-advertisement.js';

/**
 * Undefined where it is not modelled what that makes of it.
 * @param packet with what is known of it beside its bytes, and nothing that is not in them.
 * @param dns the names that it knows.
 */
export function answerOf(
  userdata: readonly number[],
  packet: Pick<Packet, 'frame' | 'layout' | 'key'>,
  dns: readonly DnsRecords[] = [],
): ControllerAnswer | undefined {
  const request = requestIn(userdata);
  switch (request?.operation) {
    case 'put_dhcp_opts':
      return dhcpReply(request.argument, packet);
    case 'put_dhcpv6_opts':
      return dhcpv6Reply(request.argument, packet);
    case 'put_nd_ra_opts':
      return routerAdvertisement(request.argument, packet);
    case 'dns_lookup':
      return dnsReply(request.argument, packet, dns);
    case 'arp':
      return sent(request, arpRequest(packet.key));
    case 'nd_ns':
      return sent(request, solicitation(packet.key));
    case 'nd_na':
      return sent(request, advertisement(packet.key, 'a host'));
    case 'nd_na_router':
      return sent(request, advertisement(packet.key, 'a router'));
    case 'icmp4 or icmp6':
      return sent(request, icmpError(packet, 'by protocol'));
    case 'icmp4_error':
    case 'icmp6_error':
      return sent(request, icmpError(packet, 'the same for all'));
    case 'tcp_reset':
      return sent(request, tcpReset(packet));
    case 'reject':
      return sent(request, rejection(packet));
    case 'put_arp':
    case 'put_nd':
    case 'activation_strategy_rarp':
      // What it learns shows in the flows that are dumped at the next event.
      return { kind: 'silence' };
    default:
      return undefined;
  }
}

/** @param frame undefined where it keeps silent. */
function sent({ argument }: Request, frame: Uint8Array | undefined): ControllerAnswer {
  return frame === undefined
    ? { kind: 'silence' }
    : { kind: 'sent', frame, actions: readNestedActions(argument) };
}
