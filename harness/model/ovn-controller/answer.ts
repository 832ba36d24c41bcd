/**
 * What ovn-controller makes of a packet that a flow hands to it (OVN controller/pinctrl.c): the
 * part of OVN that no flow says.
 */
import type { Packet } from '../packet/packet.js';
import type { ControllerAnswer } from './controller-answer.js';
import { dhcpReply } from './dhcp-reply.js';
import { requestIn } from './operations.js';

/** Undefined where it is not modelled what that makes of it. */
export function answerOf(
  userdata: readonly number[],
  packet: Pick<Packet, 'frame' | 'layout'>,
): ControllerAnswer | undefined {
  const request = requestIn(userdata);
  switch (request?.operation) {
    case 'put_dhcp_opts':
      return dhcpReply(request.argument, packet);
    default:
      return undefined;
  }
}
