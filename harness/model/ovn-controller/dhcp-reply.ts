/**
 * put_dhcp_opts (ovn-sb(5), Logical_Flow, "actions"): a request becomes the reply to it, with the
 * options that the flow has, and a bit says whether it did (OVN controller/pinctrl.c,
 * pinctrl_handle_put_dhcp_opts).
 */
import { ipv4Number } from '../../base/addresses/mac-and-ipv4.js';
import { Unsupported } from '../../base/errors/errors.js';
import { concatBytes, viewOf } from '../../packet/bytes/header-layout.js';
import { internetChecksum } from '../../packet/bytes/checksum.js';
import {
  broadcastFlag,
  decodeDhcp,
  dhcpCookie,
  dhcpHeaderBytes,
  dhcpOperations,
  dhcpOption,
  dhcpOptions,
  dhcpTypes,
  readDhcpOptions,
  type DhcpMessage,
} from '../../packet/protocols/transport/dhcp.js';
import type { Packet } from '../packet/packet.js';
import { resumed, type ControllerAnswer } from './controller-answer.js';
import { readResultBit } from './result-bit.js';

const ipHeaderBytes = 20;
const udpHeaderBytes = 8;

/** Of a bootfile's name, another one, and the server that has it: not met here. */
const bootOptions: readonly number[] = [67, 253, 254];

export function dhcpReply(
  argument: Uint8Array,
  { frame, layout }: Pick<Packet, 'frame' | 'layout'>,
): ControllerAnswer {
  const { result, rest } = readResultBit(argument, 'put_dhcp_opts');
  const offered = viewOf(rest).getUint32(0);
  const options = rest.subarray(4);
  if (readDhcpOptions(options).some(({ code }) => bootOptions.includes(code)))
    throw new Unsupported('what ovn-controller makes of DHCP options to boot from is not modelled');
  const reply = replyTo(frame, layout.l3, layout.l4, offered, options);
  return resumed(frame, reply, result);
}

/** Undefined where it does not answer. */
function replyTo(
  frame: Uint8Array,
  l3: number,
  l4: number,
  offered: number,
  options: Uint8Array,
): Uint8Array | undefined {
  const payload = frame.subarray(l4 + udpHeaderBytes);
  const request = decodeDhcp(payload);
  const isEthernet = payload[1] === 1 && payload[2] === 6;
  if (request?.operation !== dhcpOperations.request || !isEthernet) return undefined;
  const answer = typeOfAnswer(request, offered);
  if (answer === undefined) return undefined;
  const isNak = answer === dhcpTypes.nak;
  const dhcp = Uint8Array.from(payload.subarray(0, dhcpHeaderBytes));
  const view = viewOf(dhcp);
  view.setUint8(0, dhcpOperations.reply);
  view.setUint32(16, isNak ? 0 : offered);
  if (isNak) view.setUint32(20, 0);
  const reply = concatBytes(
    frame.subarray(0, l4 + udpHeaderBytes),
    dhcp,
    cookie,
    Uint8Array.of(dhcpOptions.messageType, 1, answer),
    isNak ? new Uint8Array() : options,
    // Four zeros, the end, and four more.
    Uint8Array.of(0, 0, 0, 0, dhcpOptions.end, 0, 0, 0, 0),
  );
  const isBroadcast = (request.flags & broadcastFlag) !== 0;
  writeHeaders(reply, l3, l4, isBroadcast ? 0xffffffff : offered);
  return reply;
}

const cookie = Uint8Array.of(dhcpCookie >>> 24, dhcpCookie >>> 16, dhcpCookie >>> 8, dhcpCookie);

function typeOfAnswer({ options, ciaddr }: DhcpMessage, offered: number): number | undefined {
  const type = dhcpOption(options, dhcpOptions.messageType);
  const requested = dhcpOption(options, dhcpOptions.requestedAddress);
  const asked = requested?.length === 4 ? viewOf(requested).getUint32(0) : 0;
  switch (type?.length === 1 ? type[0] : undefined) {
    case dhcpTypes.discover:
      return dhcpTypes.offer;
    case dhcpTypes.request:
      return (asked || ipv4Number(ciaddr)) === offered ? dhcpTypes.ack : dhcpTypes.nak;
    case dhcpTypes.inform:
      throw new Unsupported('what ovn-controller answers to DHCPINFORM is not modelled');
    default:
      return undefined;
  }
}

/** Lengths, the destination, and checksums: none of UDP. */
function writeHeaders(reply: Uint8Array, l3: number, l4: number, destination: number): void {
  const view = viewOf(reply);
  view.setUint16(l3 + 2, reply.length - l3);
  view.setUint32(l3 + 16, destination);
  view.setUint16(l3 + 10, 0);
  view.setUint16(l3 + 10, internetChecksum(reply.subarray(l3, l3 + ipHeaderBytes)));
  view.setUint16(l4 + 4, reply.length - l4);
  view.setUint16(l4 + 6, 0);
}
