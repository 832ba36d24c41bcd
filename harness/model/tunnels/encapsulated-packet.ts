/** A packet that has gone into a tunnel, as the underlay's flows see it. */
import { macBytes } from '../../base/addresses/mac-and-ipv4.js';
import { isIpv4Address, toIpv4 } from '../../base/addresses/ip-address.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import {
  clearWords,
  copyFields,
  copyKey,
  emptyKey,
  isIp,
  word,
  type FlowKey,
} from '../../packet/flow-key/flow-key.js';
import type { Behaviour } from '../behaviour.js';
import type { Packet } from '../packet/packet.js';
import { writeWide } from './tunnel-addresses.js';
import type { TunnelConfig } from './tunnel-config.js';
import { encapsulations } from './encapsulation.js';
import type { OuterHeader } from './outer-header.js';
import type { TunnelHeader } from './encapsulate.js';

/**
 * The packet as the underlay's flows see it: it is not parsed again, so that its source port is not
 * known, and what the outer header does not have is still the inner one's (Open vSwitch
 * ofproto/ofproto-dpif-xlate.c, propagate_tunnel_data_to_flow).
 */
export function encapsulatedPacket(
  packet: Packet,
  frame: Uint8Array,
  { config, header, link }: TunnelHeader,
  behaviour: Behaviour,
): Packet {
  const key = copyKey(packet.key);
  const isIpv4 = isIpv4Address(header.destination);
  writeMac(key, word.ethDst, link.dst);
  writeMac(key, word.ethSrc, link.src);
  clearWords(key, word.vlanTci, word.mplsLse);
  key[word.packetType] = 0;
  key[word.ethType] = isIpv4 ? etherTypes.ipv4 : etherTypes.ipv6;
  key[word.nwSrc] = isIpv4 ? toIpv4(header.source) : 0;
  key[word.nwDst] = isIpv4 ? toIpv4(header.destination) : 0;
  writeWide(key, word.ipv6Src, isIpv4 ? 0n : header.source);
  writeWide(key, word.ipv6Dst, isIpv4 ? 0n : header.destination);
  key[word.nwProto] = encapsulations[config.type].protocol;
  key[word.nwFrag] = 0;
  key[word.nwTos] = header.tos;
  key[word.nwTtl] = header.ttl;
  key[word.tpSrc] = 0;
  key[word.tpDst] = config.udpPort;
  return {
    frame,
    layout: extract(frame, emptyKey()),
    baseKey: copyFields(key),
    key,
    needsReparse: false,
    isParsed: false,
    isRewritten: false,
    isResized: true,
    isEncapsulated: true,
    tagsMax: packet.tagsMax,
    trackedAs: trackedAs(packet, config, header, behaviour),
    tunnelDst: undefined,
    hash: packet.hash,
    padding: 0,
    tracked: undefined,
    trackerCache: undefined,
  };
}

/**
 * The tracker reads it as a packet of the type that is inside (lib/dpif-netdev.c, dp_execute_cb),
 * and, in versions that write checksums when it leaves, finds them wrong: but for that of IPv4,
 * which passes for right around IPv4 (lib/netdev-native-tnl.c, netdev_tnl_push_ip_header).
 */
function trackedAs(
  { baseKey, layout }: Packet,
  { type }: TunnelConfig,
  { destination, checksum }: OuterHeader,
  { tunnelChecksums }: Behaviour,
): Packet['trackedAs'] {
  const [inside, outside] = [
    baseKey[word.ethType] ?? 0,
    isIpv4Address(destination) ? etherTypes.ipv4 : etherTypes.ipv6,
  ];
  if (!isIp(inside)) return 'nothing';
  if (inside !== outside) return 'what is inside';
  const isWrong =
    (outside === etherTypes.ipv4 && layout.l4 < 0) || (type !== 'gre' && checksum === 'present');
  return tunnelChecksums === 'when it leaves' && isWrong ? 'nothing' : 'itself';
}

function writeMac(key: FlowKey, at: number, mac: string): void {
  const view = new DataView(macBytes(mac).buffer);
  key[at] = view.getUint16(0);
  key[at + 1] = view.getUint32(2);
}
