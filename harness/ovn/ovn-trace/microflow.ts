/** A packet as ovn-trace(8) reads it: an expression over fields (ovn-sb(5), "Logical_Flow"). */
import { formatAddress, fromIpv4 } from '../../base/addresses/ip-address.js';
import { word, emptyKey, tagged, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';

const protocols = { icmp: 1, tcp: 6, udp: 17, icmp6: 58, sctp: 132 } as const;
const neighbourSolicitation = 135;
const neighbourAdvertisement = 136;

/**
 * `inport == "p1" && eth.src == … && ip4.src == …`, of all that OVN matches of the frame.
 * @param mark of its connection (ct_mark), which ovn-trace keeps up to ct_clear.
 */
export function microflow(logicalPort: string, frame: Uint8Array, mark = 0): string {
  const key = emptyKey();
  extract(frame, key);
  const type = key[word.ethType] ?? 0;
  const terms = [
    `inport == "${logicalPort}"`,
    `eth.src == ${mac(key, word.ethSrc)}`,
    `eth.dst == ${mac(key, word.ethDst)}`,
    ...vlanTerms(key),
    ...networkTerms(key, type),
    ...(mark === 0 ? [] : [`ct_mark == 0x${mark.toString(16)}`]),
  ];
  return terms.join(' && ');
}

function vlanTerms(key: FlowKey): readonly string[] {
  const tci = key[word.vlanTci] ?? 0;
  return (tci & tagged) === 0 ? [] : [`vlan.tci == 0x${tci.toString(16)}`];
}

function networkTerms(key: FlowKey, type: number): readonly string[] {
  switch (type) {
    case etherTypes.arp:
    case etherTypes.rarp:
      return arpTerms(key, type);
    case etherTypes.ipv4:
      return [
        `ip4.src == ${ipv4(key, word.nwSrc)}`,
        `ip4.dst == ${ipv4(key, word.nwDst)}`,
        ...ipTerms(key, { icmp: 'icmp4', ofIcmp: protocols.icmp }),
      ];
    case etherTypes.ipv6:
      return [
        `ip6.src == ${ipv6(key, word.ipv6Src)}`,
        `ip6.dst == ${ipv6(key, word.ipv6Dst)}`,
        ...ipTerms(key, { icmp: 'icmp6', ofIcmp: protocols.icmp6 }),
      ];
    default:
      return [`eth.type == 0x${type.toString(16)}`];
  }
}

function arpTerms(key: FlowKey, type: number): readonly string[] {
  const name = type === etherTypes.arp ? 'arp' : 'rarp';
  return [
    `${name}.op == ${key[word.nwProto] ?? 0}`,
    `${name}.spa == ${ipv4(key, word.nwSrc)}`,
    `${name}.tpa == ${ipv4(key, word.nwDst)}`,
    `${name}.sha == ${mac(key, word.arpSha)}`,
    `${name}.tha == ${mac(key, word.arpTha)}`,
  ];
}

function ipTerms(
  key: FlowKey,
  { icmp, ofIcmp }: { readonly icmp: string; readonly ofIcmp: number },
): readonly string[] {
  const tos = key[word.nwTos] ?? 0;
  return [
    `ip.ttl == ${key[word.nwTtl] ?? 0}`,
    `ip.dscp == ${tos >> 2}`,
    `ip.ecn == ${tos & 3}`,
    ...transportTerms(key, icmp, ofIcmp),
  ];
}

function transportTerms(key: FlowKey, icmp: string, ofIcmp: number): readonly string[] {
  const protocol = key[word.nwProto] ?? 0;
  const [src, dst] = [key[word.tpSrc] ?? 0, key[word.tpDst] ?? 0];
  switch (protocol) {
    case ofIcmp:
      return [`${icmp}.type == ${src}`, `${icmp}.code == ${dst}`, ...neighbourTerms(key, icmp)];
    case protocols.tcp:
      return [
        `tcp.src == ${src} && tcp.dst == ${dst}`,
        `tcp.flags == 0x${((key[word.tcpFlags] ?? 0) & 0xfff).toString(16)}`,
      ];
    case protocols.udp:
      return [`udp.src == ${src} && udp.dst == ${dst}`];
    case protocols.sctp:
      return [`sctp.src == ${src} && sctp.dst == ${dst}`];
    default:
      return [`ip.proto == ${protocol}`];
  }
}

function neighbourTerms(key: FlowKey, icmp: string): readonly string[] {
  const type = key[word.tpSrc];
  if (icmp !== 'icmp6') return [];
  if (type === neighbourSolicitation)
    return [`nd.target == ${ipv6(key, word.ndTarget)}`, `nd.sll == ${mac(key, word.arpSha)}`];
  if (type === neighbourAdvertisement)
    return [`nd.target == ${ipv6(key, word.ndTarget)}`, `nd.tll == ${mac(key, word.arpTha)}`];
  return [];
}

function mac(key: FlowKey, at: number): string {
  const digits =
    (key[at] ?? 0).toString(16).padStart(4, '0') + (key[at + 1] ?? 0).toString(16).padStart(8, '0');
  return (digits.match(/../g) ?? []).join(':');
}

function ipv4(key: FlowKey, at: number): string {
  return formatAddress(fromIpv4(key[at] ?? 0));
}

function ipv6(key: FlowKey, at: number): string {
  const number = [0, 1, 2, 3].reduce(
    (sum, index) => (sum << 32n) | BigInt(key[at + index] ?? 0),
    0n,
  );
  return formatAddress(number);
}
