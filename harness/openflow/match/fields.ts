/**
 * The field table: one row a field that matches and actions can name, after ovs-fields(7). A name
 * that is not here is refused by name, never skipped; those of NSH are such names.
 */
import { word } from '../../packet/flow-key/flow-key.js';

/** What the packet must be for a field to exist in it (ovs-fields(7), "Prerequisites"). */
export type Prerequisite =
  | 'none'
  | 'ethernet'
  | 'mpls'
  | 'arp'
  | 'ipv4'
  | 'ipv6'
  | 'ip'
  | 'tcp'
  | 'udp'
  | 'sctp'
  | 'icmp'
  | 'icmp6'
  | 'nd'
  | 'nd solicit'
  | 'nd advert'
  | 'ct'
  | 'ct ipv4'
  | 'ct ipv6'
  | 'ct ports'
  | 'erspan 1'
  | 'erspan 2';

/** Where actions may write a field: anywhere, only in `ct(commit,exec(…))`, or nowhere. */
export type Writable = 'anywhere' | 'in ct' | 'nowhere';

/**
 * How a value is written. Numbers are read in decimal and in 0x form; `hex16` is printed with four
 * digits, `label` with five. Of `unmasked` ones a match shows no mask, whatever it is: that is how
 * Open vSwitch prints them.
 */
export type Notation =
  | 'decimal'
  | 'hex'
  | 'hex16'
  | 'label'
  | 'unmasked decimal'
  | 'unmasked hex'
  | 'mac'
  | 'ipv4'
  | 'ipv6'
  | 'port'
  | 'flags'
  | 'fragment'
  | 'packet type'
  | 'vlan'
  | 'option';

export interface Field {
  /** As ovs-ofctl prints it in `set_field` (OpenFlow 1.5's name). */
  readonly name: string;
  /** As ovs-ofctl prints it in a match; `name` unless it differs. */
  readonly matchName: string;
  /** The NXM or OXM name, as `load`, `move` and `output` print it. */
  readonly nxm: string;
  /** Other names that are read. */
  readonly aliases: readonly string[];
  readonly bits: number;
  /** The bits that can be other than zero; all of its width but for a few fields. */
  readonly ones: bigint;
  /** First word in the flow key. */
  readonly word: number;
  /** Bits of the last word below the field's own. */
  readonly shift: number;
  readonly prerequisite: Prerequisite;
  readonly notation: Notation;
  /** Names of single bits, in the order in which they are printed. */
  readonly flags: Readonly<Record<string, number>>;
  readonly writable: Writable;
  readonly maskable: boolean;
  /** A second name for bits of other rows; a match holds those rows. */
  readonly isView: boolean;
  /** Whether flows may match it; ofproto/trace may name the others. */
  readonly inFlows: boolean;
  /** Whether Open vSwitch loses a match on its being zero. */
  readonly zeroIsLost: boolean;
}

type Options = Partial<Omit<Field, 'name' | 'nxm' | 'bits' | 'word' | 'notation'>>;

function field(
  name: string,
  nxm: string,
  bits: number,
  at: number,
  notation: Notation,
  options: Options = {},
): Field {
  return {
    name,
    nxm,
    bits,
    ones: (1n << BigInt(bits)) - 1n,
    word: at,
    shift: 0,
    notation,
    flags: {},
    matchName: name,
    aliases: [],
    prerequisite: 'none',
    writable: 'anywhere',
    maskable: true,
    isView: false,
    inFlows: true,
    zeroIsLost: false,
    ...options,
  };
}

/** Bits of ct_state, as ovs-fields(7) names them, in the order in which they are printed. */
export const ctStateBits = {
  new: 0x01,
  est: 0x02,
  rel: 0x04,
  rpl: 0x08,
  inv: 0x10,
  trk: 0x20,
  snat: 0x40,
  dnat: 0x80,
} as const;
/** Bits of tcp_flags; those above RFC 793, 3168 and 3540 have no name. */
export const tcpFlagBits = {
  fin: 0x1,
  syn: 0x2,
  rst: 0x4,
  psh: 0x8,
  ack: 0x10,
  urg: 0x20,
  ece: 0x40,
  cwr: 0x80,
  ns: 0x100,
  '[200]': 0x200,
  '[400]': 0x400,
  '[800]': 0x800,
} as const;
/** Bits of tun_flags. */
const tunnelFlagBits = { oam: 1 } as const;

const readOnly = { writable: 'nowhere' } as const;
const tracked = { writable: 'in ct' } as const;
const whole = { maskable: false } as const;
const original = (prerequisite: Prerequisite) => ({ prerequisite, ...readOnly }) as const;
const neverInFlows = { inFlows: false, ...readOnly } as const;
const view = { isView: true } as const;
const each = (count: number, row: (n: number) => Field): readonly Field[] =>
  Array.from({ length: count }, (_, n) => row(n));

/** In the order in which ovs-ofctl prints a match, up to the word for the protocol. */
const beforeProtocol: readonly Field[] = [
  field('pkt_mark', 'NXM_NX_PKT_MARK', 32, word.pktMark, 'hex'),
  field('recirc_id', 'NXM_NX_RECIRC_ID', 32, word.recircId, 'hex', { ...neverInFlows, ...whole }),
  field('dp_hash', 'NXM_NX_DP_HASH', 32, word.dpHash, 'hex', neverInFlows),
  field('conj_id', 'NXM_NX_CONJ_ID', 32, word.conjId, 'decimal', { ...readOnly, ...whole }),
  field('skb_priority', 'skb_priority', 32, word.skbPriority, 'hex', { ...neverInFlows, ...whole }),
  field('actset_output', 'ONFOXM_ET_ACTSET_OUTPUT', 32, word.actsetOutput, 'port', {
    aliases: ['OXM_OF_ACTSET_OUTPUT'],
    ...readOnly,
    ...whole,
  }),
  field('ct_state', 'NXM_NX_CT_STATE', 32, word.ctState, 'flags', {
    ones: 0xffn,
    flags: ctStateBits,
    ...readOnly,
  }),
  field('ct_zone', 'NXM_NX_CT_ZONE', 16, word.ctZone, 'decimal', { ...readOnly, ...whole }),
  field('ct_mark', 'NXM_NX_CT_MARK', 32, word.ctMark, 'hex', tracked),
  field('ct_label', 'NXM_NX_CT_LABEL', 128, word.ctLabel, 'hex', tracked),
  field('ct_nw_src', 'NXM_NX_CT_NW_SRC', 32, word.ctNwSrc, 'ipv4', original('ct ipv4')),
  field('ct_ipv6_src', 'NXM_NX_CT_IPV6_SRC', 128, word.ctIpv6Src, 'ipv6', original('ct ipv6')),
  field('ct_nw_dst', 'NXM_NX_CT_NW_DST', 32, word.ctNwDst, 'ipv4', original('ct ipv4')),
  field('ct_ipv6_dst', 'NXM_NX_CT_IPV6_DST', 128, word.ctIpv6Dst, 'ipv6', original('ct ipv6')),
  field('ct_nw_proto', 'NXM_NX_CT_NW_PROTO', 8, word.ctNwProto, 'decimal', {
    ...original('ct'),
    ...whole,
    zeroIsLost: true,
  }),
  field('ct_tp_src', 'NXM_NX_CT_TP_SRC', 16, word.ctTpSrc, 'decimal', original('ct ports')),
  field('ct_tp_dst', 'NXM_NX_CT_TP_DST', 16, word.ctTpDst, 'decimal', original('ct ports')),
  field('packet_type', 'OXM_OF_PACKET_TYPE', 32, word.packetType, 'packet type', {
    ...readOnly,
    ...whole,
  }),
];

const afterProtocol: readonly Field[] = [
  ...each(32, (n) =>
    field(`reg${n}`, `${n < 16 ? 'NXM_NX' : 'NXOXM_ET'}_REG${n}`, 32, word.reg + n, 'hex'),
  ),
  field('tun_id', 'NXM_NX_TUN_ID', 64, word.tunId, 'hex', {
    aliases: ['tunnel_id', 'OXM_OF_TUNNEL_ID'],
  }),
  field('tun_src', 'NXM_NX_TUN_IPV4_SRC', 32, word.tunSrc, 'ipv4'),
  field('tun_dst', 'NXM_NX_TUN_IPV4_DST', 32, word.tunDst, 'ipv4'),
  field('tun_ipv6_src', 'NXM_NX_TUN_IPV6_SRC', 128, word.tunIpv6Src, 'ipv6'),
  field('tun_ipv6_dst', 'NXM_NX_TUN_IPV6_DST', 128, word.tunIpv6Dst, 'ipv6'),
  field('tun_gbp_id', 'NXM_NX_TUN_GBP_ID', 16, word.tunGbpId, 'decimal'),
  field('tun_gbp_flags', 'NXM_NX_TUN_GBP_FLAGS', 8, word.tunGbpFlags, 'unmasked hex'),
  field('tun_erspan_ver', 'NXOXM_ET_ERSPAN_VER', 4, word.tunErspanVer, 'unmasked decimal', {
    zeroIsLost: true,
  }),
  field('tun_erspan_idx', 'NXOXM_ET_ERSPAN_IDX', 20, word.tunErspanIdx, 'unmasked hex', {
    prerequisite: 'erspan 1',
  }),
  field('tun_erspan_dir', 'NXOXM_ET_ERSPAN_DIR', 1, word.tunErspanDir, 'unmasked decimal', {
    prerequisite: 'erspan 2',
    zeroIsLost: true,
  }),
  field('tun_erspan_hwid', 'NXOXM_ET_ERSPAN_HWID', 6, word.tunErspanHwid, 'unmasked hex', {
    prerequisite: 'erspan 2',
    zeroIsLost: true,
  }),
  field('tun_gtpu_flags', 'NXOXM_ET_GTPU_FLAGS', 8, word.tunGtpuFlags, 'unmasked hex', {
    matchName: 'gtpu_flags',
    zeroIsLost: true,
    ...readOnly,
  }),
  field('tun_gtpu_msgtype', 'NXOXM_ET_GTPU_MSGTYPE', 8, word.tunGtpuMsgtype, 'unmasked decimal', {
    matchName: 'gtpu_msgtype',
    zeroIsLost: true,
    ...readOnly,
  }),
  field('tun_tos', 'tun_tos', 8, word.tunTos, 'hex', { ...neverInFlows, ...whole }),
  field('tun_ttl', 'tun_ttl', 8, word.tunTtl, 'decimal', { ...neverInFlows, ...whole }),
  field('tun_flags', 'NXM_NX_TUN_FLAGS', 1, word.tunFlags, 'flags', { flags: tunnelFlagBits }),
  ...each(64, (n) =>
    field(`tun_metadata${n}`, `NXM_NX_TUN_METADATA${n}`, 992, word.tunMetadata, 'option'),
  ),
  field('metadata', 'OXM_OF_METADATA', 64, word.metadata, 'hex'),
  field('in_port', 'NXM_OF_IN_PORT', 16, word.inPort, 'port', whole),
  field('vlan_tci', 'NXM_OF_VLAN_TCI', 16, word.vlanTci, 'vlan', { prerequisite: 'ethernet' }),
  field('eth_src', 'NXM_OF_ETH_SRC', 48, word.ethSrc, 'mac', {
    matchName: 'dl_src',
    aliases: ['OXM_OF_ETH_SRC'],
    prerequisite: 'ethernet',
  }),
  field('eth_dst', 'NXM_OF_ETH_DST', 48, word.ethDst, 'mac', {
    matchName: 'dl_dst',
    aliases: ['OXM_OF_ETH_DST'],
    prerequisite: 'ethernet',
  }),
  field('eth_type', 'NXM_OF_ETH_TYPE', 16, word.ethType, 'hex16', {
    matchName: 'dl_type',
    aliases: ['OXM_OF_ETH_TYPE'],
    prerequisite: 'ethernet',
    ...readOnly,
    ...whole,
  }),
  field('ipv6_src', 'NXM_NX_IPV6_SRC', 128, word.ipv6Src, 'ipv6', {
    aliases: ['OXM_OF_IPV6_SRC'],
    prerequisite: 'ipv6',
  }),
  field('ipv6_dst', 'NXM_NX_IPV6_DST', 128, word.ipv6Dst, 'ipv6', {
    aliases: ['OXM_OF_IPV6_DST'],
    prerequisite: 'ipv6',
  }),
  field('ipv6_label', 'NXM_NX_IPV6_LABEL', 20, word.ipv6Label, 'label', {
    aliases: ['OXM_OF_IPV6_FLABEL'],
    prerequisite: 'ipv6',
  }),
  field('ip_src', 'NXM_OF_IP_SRC', 32, word.nwSrc, 'ipv4', {
    matchName: 'nw_src',
    aliases: ['OXM_OF_IPV4_SRC'],
    prerequisite: 'ipv4',
  }),
  field('ip_dst', 'NXM_OF_IP_DST', 32, word.nwDst, 'ipv4', {
    matchName: 'nw_dst',
    aliases: ['OXM_OF_IPV4_DST'],
    prerequisite: 'ipv4',
  }),
  field('arp_spa', 'NXM_OF_ARP_SPA', 32, word.nwSrc, 'ipv4', {
    aliases: ['nw_src', 'OXM_OF_ARP_SPA'],
    prerequisite: 'arp',
  }),
  field('arp_tpa', 'NXM_OF_ARP_TPA', 32, word.nwDst, 'ipv4', {
    aliases: ['nw_dst', 'OXM_OF_ARP_TPA'],
    prerequisite: 'arp',
  }),
  field('nw_proto', 'NXM_OF_IP_PROTO', 8, word.nwProto, 'decimal', {
    aliases: ['ip_proto', 'OXM_OF_IP_PROTO'],
    prerequisite: 'ip',
    ...readOnly,
    ...whole,
  }),
  field('arp_op', 'NXM_OF_ARP_OP', 16, word.nwProto, 'decimal', {
    aliases: ['nw_proto', 'OXM_OF_ARP_OP'],
    prerequisite: 'arp',
    ones: 0xffn,
    ...whole,
  }), // the flow key has 8 bits of it
  field('arp_sha', 'NXM_NX_ARP_SHA', 48, word.arpSha, 'mac', {
    aliases: ['OXM_OF_ARP_SHA'],
    prerequisite: 'arp',
  }),
  field('arp_tha', 'NXM_NX_ARP_THA', 48, word.arpTha, 'mac', {
    aliases: ['OXM_OF_ARP_THA'],
    prerequisite: 'arp',
  }),
  field('nw_tos', 'NXM_OF_IP_TOS', 8, word.nwTos, 'decimal', {
    prerequisite: 'ip',
    ones: 0xfcn,
    ...whole,
  }), // the other two are ECN
  field('nw_ecn', 'NXM_NX_IP_ECN', 2, word.nwTos, 'decimal', {
    aliases: ['ip_ecn', 'OXM_OF_IP_ECN'],
    prerequisite: 'ip',
    ...whole,
  }),
  field('nw_ttl', 'NXM_NX_IP_TTL', 8, word.nwTtl, 'decimal', { prerequisite: 'ip', ...whole }),
  field('mpls_label', 'OXM_OF_MPLS_LABEL', 20, word.mplsLse, 'decimal', {
    shift: 12,
    prerequisite: 'mpls',
    ...whole,
  }),
  field('mpls_tc', 'OXM_OF_MPLS_TC', 3, word.mplsLse, 'decimal', {
    shift: 9,
    prerequisite: 'mpls',
    ...whole,
  }),
  field('mpls_ttl', 'NXM_NX_MPLS_TTL', 8, word.mplsLse, 'decimal', {
    prerequisite: 'mpls',
    ...whole,
  }),
  field('mpls_bos', 'OXM_OF_MPLS_BOS', 1, word.mplsLse, 'decimal', {
    shift: 8,
    prerequisite: 'mpls',
    ...readOnly,
    ...whole,
  }),
  field('ip_frag', 'NXM_NX_IP_FRAG', 2, word.nwFrag, 'fragment', {
    matchName: 'nw_frag',
    prerequisite: 'ip',
    ...readOnly,
  }),
  field('tcp_src', 'NXM_OF_TCP_SRC', 16, word.tpSrc, 'decimal', {
    matchName: 'tp_src',
    aliases: ['OXM_OF_TCP_SRC'],
    prerequisite: 'tcp',
  }),
  field('tcp_dst', 'NXM_OF_TCP_DST', 16, word.tpDst, 'decimal', {
    matchName: 'tp_dst',
    aliases: ['OXM_OF_TCP_DST'],
    prerequisite: 'tcp',
  }),
  field('udp_src', 'NXM_OF_UDP_SRC', 16, word.tpSrc, 'decimal', {
    matchName: 'tp_src',
    aliases: ['OXM_OF_UDP_SRC'],
    prerequisite: 'udp',
  }),
  field('udp_dst', 'NXM_OF_UDP_DST', 16, word.tpDst, 'decimal', {
    matchName: 'tp_dst',
    aliases: ['OXM_OF_UDP_DST'],
    prerequisite: 'udp',
  }),
  field('sctp_src', 'OXM_OF_SCTP_SRC', 16, word.tpSrc, 'decimal', {
    matchName: 'tp_src',
    prerequisite: 'sctp',
  }),
  field('sctp_dst', 'OXM_OF_SCTP_DST', 16, word.tpDst, 'decimal', {
    matchName: 'tp_dst',
    prerequisite: 'sctp',
  }),
  field('icmp_type', 'NXM_OF_ICMP_TYPE', 8, word.tpSrc, 'decimal', {
    aliases: ['tp_src', 'OXM_OF_ICMPV4_TYPE'],
    prerequisite: 'icmp',
    ...whole,
  }),
  field('icmp_code', 'NXM_OF_ICMP_CODE', 8, word.tpDst, 'decimal', {
    aliases: ['tp_dst', 'OXM_OF_ICMPV4_CODE'],
    prerequisite: 'icmp',
    ...whole,
  }),
  field('icmpv6_type', 'NXM_NX_ICMPV6_TYPE', 8, word.tpSrc, 'decimal', {
    matchName: 'icmp_type',
    aliases: ['tp_src', 'OXM_OF_ICMPV6_TYPE'],
    prerequisite: 'icmp6',
    ...whole,
  }),
  field('icmpv6_code', 'NXM_NX_ICMPV6_CODE', 8, word.tpDst, 'decimal', {
    matchName: 'icmp_code',
    aliases: ['tp_dst', 'OXM_OF_ICMPV6_CODE'],
    prerequisite: 'icmp6',
    ...whole,
  }),
  field('nd_target', 'NXM_NX_ND_TARGET', 128, word.ndTarget, 'ipv6', {
    aliases: ['OXM_OF_IPV6_ND_TARGET'],
    prerequisite: 'nd',
  }),
  field('nd_sll', 'NXM_NX_ND_SLL', 48, word.arpSha, 'mac', {
    aliases: ['OXM_OF_IPV6_ND_SLL'],
    prerequisite: 'nd solicit',
  }),
  field('nd_tll', 'NXM_NX_ND_TLL', 48, word.arpTha, 'mac', {
    aliases: ['OXM_OF_IPV6_ND_TLL'],
    prerequisite: 'nd advert',
  }),
  field('nd_reserved', 'ERICOXM_OF_ICMPV6_ND_RESERVED', 32, word.ndReserved, 'decimal', {
    prerequisite: 'nd',
    ...whole,
  }),
  field('nd_options_type', 'ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE', 8, word.tcpFlags, 'decimal', {
    prerequisite: 'nd',
    ...whole,
  }),
  field('tcp_flags', 'NXM_NX_TCP_FLAGS', 12, word.tcpFlags, 'flags', {
    aliases: ['ONFOXM_ET_TCP_FLAGS', 'OXM_OF_TCP_FLAGS'],
    flags: tcpFlagBits,
    prerequisite: 'tcp',
    ...readOnly,
  }),
];

const views: readonly Field[] = [
  ...each(16, (n) => field(`xreg${n}`, `OXM_OF_PKT_REG${n}`, 64, word.reg + 2 * n, 'hex', view)),
  ...each(8, (n) =>
    field(
      `xxreg${n}`,
      `${n < 4 ? 'NXM_NX' : 'NXOXM_ET'}_XXREG${n}`,
      128,
      word.reg + 4 * n,
      'hex',
      view,
    ),
  ),
  field('in_port_oxm', 'OXM_OF_IN_PORT', 32, word.inPort, 'port', { ...view, ...whole }),
  field('dl_vlan', 'dl_vlan', 12, word.vlanTci, 'decimal', {
    ...view,
    ...whole,
    prerequisite: 'ethernet',
  }),
  field('vlan_vid', 'OXM_OF_VLAN_VID', 12, word.vlanTci, 'decimal', {
    ...view,
    prerequisite: 'ethernet',
  }),
  field('dl_vlan_pcp', 'dl_vlan_pcp', 3, word.vlanTci, 'decimal', {
    ...view,
    ...whole,
    shift: 13,
    prerequisite: 'ethernet',
  }),
  field('vlan_pcp', 'OXM_OF_VLAN_PCP', 3, word.vlanTci, 'decimal', {
    ...view,
    ...whole,
    shift: 13,
    prerequisite: 'ethernet',
  }),
  field('ip_dscp', 'OXM_OF_IP_DSCP', 6, word.nwTos, 'decimal', {
    ...view,
    ...whole,
    shift: 2,
    prerequisite: 'ip',
  }),
];

/** In the order in which ovs-ofctl prints a match; views come last. */
export const fields: readonly Field[] = [...beforeProtocol, ...afterProtocol, ...views];

/** The fields that ovs-ofctl prints before the word for the protocol. */
export const fieldsBeforeProtocol: ReadonlySet<Field> = new Set(beforeProtocol);

const byName = new Map<string, Field[]>();
for (const row of fields) {
  for (const name of new Set([row.name, row.matchName, row.nxm, ...row.aliases])) {
    const rows = byName.get(name) ?? [];
    byName.set(name, rows);
    rows.push(row);
  }
}

/**
 * All rows that go by a name in a match or in set_field; several where the protocol decides
 * (`tp_src`).
 */
export function fieldsNamed(name: string): readonly Field[] {
  return byName.get(name) ?? [];
}

/** The words of the flow key that a field has bits in. */
export function wordsOf(field: Field): number {
  return Math.ceil((field.bits + field.shift) / 32);
}

/** The row of that name, where only one has it. */
export function fieldCalled(name: string): Field {
  const [row] = fieldsNamed(name);
  if (row === undefined) throw new Error(`bug in flowbed: no field ${name}`);
  return row;
}
