/**
 * The field table: one row a field that matches and actions can name, after ovs-fields(7). A name that is not
 * here is refused by name, never skipped.
 */
import { word } from '../packet/flow-key.js';

/** What the packet must be for a field to exist in it. */
export type Prerequisite = 'none' | 'arp' | 'ip' | 'tcp' | 'udp' | 'icmp';

/** Where actions may write a field: anywhere, only in `ct(commit,exec(…))`, or nowhere. */
export type Writable = 'anywhere' | 'in ct' | 'nowhere';

/** How a value is written. Numbers are read in decimal and in 0x form; `hex16` is printed with four digits. */
export type Notation = 'decimal' | 'hex' | 'hex16' | 'mac' | 'ipv4' | 'port' | 'ct_state' | 'fragment';

export interface Field {
  /** As ovs-ofctl prints it in `set_field` (OpenFlow 1.5's name). */
  readonly name: string;
  /** As ovs-ofctl prints it in a match; `name` unless it differs. */
  readonly matchName: string;
  /** The NXM name, as `load`, `move` and `output` use it. */
  readonly nxm: string;
  readonly bits: number;
  /** The bits that can be other than zero; all of its width but for a few fields. */
  readonly ones: bigint;
  /** First word in the flow key. */
  readonly word: number;
  readonly prerequisite: Prerequisite;
  readonly notation: Notation;
  readonly writable: Writable;
  readonly maskable: boolean;
}

type Options = Partial<Pick<Field, 'ones' | 'matchName' | 'prerequisite' | 'writable' | 'maskable'>>;

function field(name: string, nxm: string, bits: number, at: number, notation: Notation, options: Options = {}): Field {
  return { name, nxm, bits, ones: (1n << BigInt(bits)) - 1n, word: at, notation, matchName: name, prerequisite: 'none', writable: 'anywhere', maskable: true, ...options };
}

const readOnly = { writable: 'nowhere' } as const;
const tracked = { writable: 'in ct' } as const;
const whole = { maskable: false } as const;

/** In the order in which ovs-ofctl prints a match. */
export const fields: readonly Field[] = [
  field('pkt_mark', 'NXM_NX_PKT_MARK', 32, word.pktMark, 'hex'),
  field('ct_state', 'NXM_NX_CT_STATE', 32, word.ctState, 'ct_state', { ones: 0xffn, ...readOnly }),
  field('ct_zone', 'NXM_NX_CT_ZONE', 16, word.ctZone, 'decimal', { ...readOnly, ...whole }),
  field('ct_mark', 'NXM_NX_CT_MARK', 32, word.ctMark, 'hex', tracked),
  field('ct_label', 'NXM_NX_CT_LABEL', 128, word.ctLabel, 'hex', tracked),
  ...Array.from({ length: 16 }, (_, n) => field(`reg${n}`, `NXM_NX_REG${n}`, 32, word.reg + n, 'hex')),
  field('tun_id', 'NXM_NX_TUN_ID', 64, word.tunId, 'hex'),
  field('tun_src', 'NXM_NX_TUN_IPV4_SRC', 32, word.tunSrc, 'ipv4'),
  field('tun_dst', 'NXM_NX_TUN_IPV4_DST', 32, word.tunDst, 'ipv4'),
  field('metadata', 'OXM_OF_METADATA', 64, word.metadata, 'hex'),
  field('in_port', 'NXM_OF_IN_PORT', 16, word.inPort, 'port', whole),
  field('vlan_tci', 'NXM_OF_VLAN_TCI', 16, word.vlanTci, 'hex16'),
  field('eth_src', 'NXM_OF_ETH_SRC', 48, word.ethSrc, 'mac', { matchName: 'dl_src' }),
  field('eth_dst', 'NXM_OF_ETH_DST', 48, word.ethDst, 'mac', { matchName: 'dl_dst' }),
  field('eth_type', 'NXM_OF_ETH_TYPE', 16, word.ethType, 'hex16', { matchName: 'dl_type', ...readOnly, ...whole }),
  field('ip_src', 'NXM_OF_IP_SRC', 32, word.nwSrc, 'ipv4', { matchName: 'nw_src', prerequisite: 'ip' }),
  field('ip_dst', 'NXM_OF_IP_DST', 32, word.nwDst, 'ipv4', { matchName: 'nw_dst', prerequisite: 'ip' }),
  field('arp_spa', 'NXM_OF_ARP_SPA', 32, word.nwSrc, 'ipv4', { prerequisite: 'arp' }),
  field('arp_tpa', 'NXM_OF_ARP_TPA', 32, word.nwDst, 'ipv4', { prerequisite: 'arp' }),
  field('nw_proto', 'NXM_OF_IP_PROTO', 8, word.nwProto, 'decimal', { prerequisite: 'ip', ...readOnly, ...whole }),
  field('arp_op', 'NXM_OF_ARP_OP', 16, word.nwProto, 'decimal', { prerequisite: 'arp', ones: 0xffn, ...whole }), // the flow key has 8 bits of it
  field('arp_sha', 'NXM_NX_ARP_SHA', 48, word.arpSha, 'mac', { prerequisite: 'arp' }),
  field('arp_tha', 'NXM_NX_ARP_THA', 48, word.arpTha, 'mac', { prerequisite: 'arp' }),
  field('nw_tos', 'NXM_OF_IP_TOS', 8, word.nwTos, 'decimal', { prerequisite: 'ip', ones: 0xfcn, ...whole }), // the other two are ECN
  field('nw_ttl', 'NXM_NX_IP_TTL', 8, word.nwTtl, 'decimal', { prerequisite: 'ip', ...whole }),
  field('ip_frag', 'NXM_NX_IP_FRAG', 2, word.nwFrag, 'fragment', { matchName: 'nw_frag', prerequisite: 'ip', ...readOnly }),
  field('tcp_src', 'NXM_OF_TCP_SRC', 16, word.tpSrc, 'decimal', { matchName: 'tp_src', prerequisite: 'tcp' }),
  field('tcp_dst', 'NXM_OF_TCP_DST', 16, word.tpDst, 'decimal', { matchName: 'tp_dst', prerequisite: 'tcp' }),
  field('udp_src', 'NXM_OF_UDP_SRC', 16, word.tpSrc, 'decimal', { matchName: 'tp_src', prerequisite: 'udp' }),
  field('udp_dst', 'NXM_OF_UDP_DST', 16, word.tpDst, 'decimal', { matchName: 'tp_dst', prerequisite: 'udp' }),
  field('icmp_type', 'NXM_OF_ICMP_TYPE', 8, word.tpSrc, 'decimal', { prerequisite: 'icmp', ...whole }),
  field('icmp_code', 'NXM_OF_ICMP_CODE', 8, word.tpDst, 'decimal', { prerequisite: 'icmp', ...whole }),
];

/** All rows that go by a name in a match or in set_field; several where the protocol decides (`tp_src`). */
export function fieldsNamed(name: string): readonly Field[] {
  return fields.filter((row) => row.name === name || row.matchName === name || row.nxm === name);
}

/** Bits of ct_state, as ovs-fields(7) names them, in the order in which they are printed. */
export const ctStateBits = { new: 0x01, est: 0x02, rel: 0x04, rpl: 0x08, inv: 0x10, trk: 0x20, snat: 0x40, dnat: 0x80 } as const;
