/**
 * put_dhcpv6_opts (ovn-sb(5), Logical_Flow, "actions"): a request becomes the reply to it, with the
 * options that the flow has (OVN controller/pinctrl.c, pinctrl_handle_put_dhcpv6_opts).
 */
import { Unsupported } from '../../base/errors/errors.js';
import { concatBytes, viewOf } from '../../packet/bytes/header-layout.js';
import { internetChecksum } from '../../packet/bytes/checksum.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { colons } from '../../packet/protocols/ip/ipv6.js';
import { pseudoHeaderSum } from '../../packet/protocols/ip/pseudo-header.js';
import {
  dhcpv6Option,
  dhcpv6Options as options,
  dhcpv6Types as types,
  encodeDhcpv6Option,
  readDhcpv6Options,
  type Dhcpv6Option,
} from '../../packet/protocols/transport/dhcpv6.js';
import type { Packet } from '../packet/packet.js';
import { resumed, type ControllerAnswer } from './controller-answer.js';
import { readResultBit } from './result-bit.js';

const udpBytes = 8;
/** Type and transaction. */
const headerBytes = 4;

export function dhcpv6Reply(
  argument: Uint8Array,
  { frame, layout }: Pick<Packet, 'frame' | 'layout'>,
): ControllerAnswer {
  const { result, rest } = readResultBit(argument, 'put_dhcpv6_opts');
  const reply = replyTo(frame, layout.l3, layout.l4, readDhcpv6Options(rest));
  return resumed(frame, reply, result);
}

/** Undefined where it does not answer. */
function replyTo(
  frame: Uint8Array,
  l3: number,
  l4: number,
  offered: readonly Dhcpv6Option[],
): Uint8Array | undefined {
  const start = l4 + udpBytes;
  const end = Math.min(l4 + viewOf(frame).getUint16(l4 + 4), frame.length);
  const asked = frame[start];
  const type = typeOfAnswer(asked);
  if (type === undefined || offered.length === 0) return undefined;
  const request = readDhcpv6Options(frame.subarray(start + headerBytes, end));
  const client = request.findLast(({ code }) => code === options.clientId);
  const association = dhcpv6Option(request, options.iaNa)?.subarray(0, 4);
  const hasAssociation = association?.some((byte) => byte !== 0) ?? false;
  if (client === undefined) return undefined;
  if (!hasAssociation && asked !== types.informationRequest) return undefined;
  const made =
    asked === types.release
      ? [...offered.filter(({ code }) => code === options.serverId).slice(0, 1), success]
      : offered.filter(({ code }) => code !== options.iaAddress || hasAssociation);
  const reply = concatBytes(
    frame.subarray(0, start + headerBytes),
    encodeDhcpv6Option(client),
    ...made.map((option) => encodeDhcpv6Option(asSent(option, association))),
  );
  reply[start] = type;
  writeHeaders(reply, l3, l4);
  return reply;
}

function typeOfAnswer(asked: number | undefined): number | undefined {
  switch (asked) {
    case types.solicit:
      return types.advertise;
    case types.request:
    case types.confirm:
    case types.decline:
    case types.informationRequest:
    case types.release:
      return types.reply;
    default:
      return undefined;
  }
}

/** Status code 0 (RFC 8415, section 21.13). */
const success: Dhcpv6Option = { code: options.status, value: new Uint8Array(2) };

/** As long as can be: no lease ends. */
const forever = Uint8Array.of(0xff, 0xff, 0xff, 0xff);

/** What the flow has of an option, and what is sent of it. */
function asSent(option: Dhcpv6Option, association: Uint8Array = new Uint8Array(4)): Dhcpv6Option {
  const { code, value } = option;
  switch (code) {
    case options.serverId:
      // A DUID of the link-layer address (RFC 8415, section 11.4), of Ethernet.
      return { code, value: concatBytes(Uint8Array.of(0, 3, 0, 1), value) };
    case options.iaAddress: {
      const address = encodeDhcpv6Option({ code, value: concatBytes(value, forever, forever) });
      return {
        code: options.iaNa,
        value: concatBytes(association, forever, forever, address),
      };
    }
    case options.dnsServers:
    case options.status:
      return option;
    case options.domainSearch:
      return { code, value: concatBytes(Uint8Array.of(value.length), value, Uint8Array.of(0)) };
    default:
      throw new Unsupported(
        `what ovn-controller makes of option ${code} of DHCPv6 is not modelled`,
      );
  }
}

function writeHeaders(reply: Uint8Array, l3: number, l4: number): void {
  const view = viewOf(reply);
  const length = reply.length - l4;
  view.setUint16(l4 + 4, length);
  view.setUint16(l4 + 6, 0);
  view.setUint16(l3 + 4, length);
  const [src, dst] = [reply.subarray(l3 + 8, l3 + 24), reply.subarray(l3 + 24, l3 + 40)];
  const sum = pseudoHeaderSum({ src: colons(src), dst: colons(dst) }, ipProtocols.udp, length);
  view.setUint16(l4 + 6, internetChecksum(reply.subarray(l4), sum) || 0xffff);
}
