/**
 * put_nd_ra_opts (ovn-sb(5), Logical_Flow, "actions"): a router solicitation becomes the
 * advertisement that the flow has (OVN controller/pinctrl.c, pinctrl_handle_put_nd_ra_opts).
 */
import { concatBytes, viewOf } from '../../packet/bytes/header-layout.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { internetChecksum } from '../../packet/bytes/checksum.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { colons, ipv6Bytes } from '../../packet/protocols/ip/ipv6.js';
import { pseudoHeaderSum } from '../../packet/protocols/ip/pseudo-header.js';
import type { Packet } from '../packet/packet.js';
import { resumed, type ControllerAnswer } from './controller-answer.js';
import { isIpv6 } from './made-packet.js';
import { readResultBit } from './result-bit.js';

const routerSolicitation = 133;
const allNodes = 'ff02::1';

export function routerAdvertisement(
  argument: Uint8Array,
  packet: Pick<Packet, 'frame' | 'layout' | 'key'>,
): ControllerAnswer {
  const { result, rest } = readResultBit(argument, 'put_nd_ra_opts');
  return resumed(packet.frame, advertisementTo(packet, rest), result);
}

function advertisementTo(
  { frame, layout: { l3, l4 }, key }: Pick<Packet, 'frame' | 'layout' | 'key'>,
  icmp: Uint8Array,
): Uint8Array | undefined {
  const isSolicitation =
    isIpv6(key) &&
    key[word.nwProto] === ipProtocols.icmp6 &&
    key[word.tpSrc] === routerSolicitation &&
    key[word.tpDst] === 0;
  if (!isSolicitation || icmp.length === 0) return undefined;
  const reply = concatBytes(frame.subarray(0, l4), icmp);
  const view = viewOf(reply);
  view.setUint16(l3 + 4, icmp.length);
  // Who asks from no address yet is answered at that of all nodes, once the flow turns them.
  if (reply.subarray(l3 + 8, l3 + 24).every((byte) => byte === 0))
    reply.set(ipv6Bytes(allNodes), l3 + 8);
  view.setUint16(l4 + 2, 0);
  const [src, dst] = [reply.subarray(l3 + 8, l3 + 24), reply.subarray(l3 + 24, l3 + 40)];
  const sum = pseudoHeaderSum(
    { src: colons(src), dst: colons(dst) },
    ipProtocols.icmp6,
    icmp.length,
  );
  view.setUint16(l4 + 2, internetChecksum(reply.subarray(l4), sum));
  return reply;
}
