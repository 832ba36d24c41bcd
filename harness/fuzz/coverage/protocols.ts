import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { extract, noType } from '../../packet/flow-key/extract/extract.js';
import { countTags, fragment, isMpls, keyWords, word } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { neighbourTypes } from '../../packet/protocols/ip/neighbour.js';

/** Every protocol that frames may be of, as `protocolsOf` calls it. */
export const protocols: readonly string[] = [
  'VLAN tag',
  'two VLAN tags',
  'IEEE 802.3',
  'another type',
  'ARP',
  'RARP',
  'MPLS',
  'MPLS multicast',
  ...['IPv4', 'IPv6'].flatMap((version) => [
    ...['TCP', 'UDP', 'SCTP', 'another protocol'].map((name) => `${version} ${name}`),
    `${version} first fragment`,
    `${version} later fragment`,
    `${version} broken`,
  ]),
  'IPv4 ICMP',
  'IPv6 ICMPv6',
  'IPv6 neighbour solicitation',
  'IPv6 neighbour advertisement',
];

/** What a switch finds in a frame: its tags, and what they are in front of. */
export function protocolsOf(frame: Uint8Array): readonly string[] {
  const key = new Uint32Array(keyWords);
  const { l4 } = extract(frame, key, 2);
  const tags = countTags(key);
  return [...(tags === 0 ? [] : [tags === 1 ? 'VLAN tag' : 'two VLAN tags']), networkOf(key, l4)];
}

function networkOf(key: Uint32Array, l4: number): string {
  const type = key[word.ethType] ?? 0;
  if (type === noType) return 'IEEE 802.3';
  if (isMpls(type)) return type === etherTypes.mpls ? 'MPLS' : 'MPLS multicast';
  if (type === etherTypes.arp) return 'ARP';
  if (type === etherTypes.rarp) return 'RARP';
  if (type !== etherTypes.ipv4 && type !== etherTypes.ipv6) return 'another type';
  return (
    `${type === etherTypes.ipv4 ? 'IPv4' : 'IPv6'} ` + (l4 < 0 ? 'broken' : transportOf(key, type))
  );
}

function transportOf(key: Uint32Array, type: number): string {
  const [protocol, kind] = [key[word.nwProto], key[word.nwFrag] ?? 0];
  if ((kind & fragment.any) !== 0)
    return (kind & fragment.later) === 0 ? 'first fragment' : 'later fragment';
  if (protocol === ipProtocols.tcp) return 'TCP';
  if (protocol === ipProtocols.udp) return 'UDP';
  if (protocol === ipProtocols.sctp) return 'SCTP';
  if (type === etherTypes.ipv4 && protocol === ipProtocols.icmp) return 'ICMP';
  if (type === etherTypes.ipv6 && protocol === ipProtocols.icmp6)
    return icmp6Of(key[word.tpSrc] ?? 0);
  return 'another protocol';
}

function icmp6Of(messageType: number): string {
  if (messageType === neighbourTypes.solicitation) return 'neighbour solicitation';
  return messageType === neighbourTypes.advertisement ? 'neighbour advertisement' : 'ICMPv6';
}
