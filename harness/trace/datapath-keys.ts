/**
 * The keys of the datapath's notation, and the fields of the bridge that their parts are
 * (lib/odp-util.c, odp_flow_format).
 */

/** The names of the parts of a key, and the fields that they are; `''` where it has one value. */
export type KeyParts = Readonly<Record<string, string | 'unused'>>;

const l4: KeyParts = { src: 'tp_src', dst: 'tp_dst' };
const icmp: KeyParts = { type: 'icmp_type', code: 'icmp_code' };

export const datapathKeys: Readonly<Record<string, KeyParts>> = {
  recirc_id: { '': 'recirc_id' },
  dp_hash: { '': 'unused' },
  skb_priority: { '': 'unused' },
  skb_mark: { '': 'pkt_mark' },
  in_port: { '': 'in_port' },
  eth: { src: 'dl_src', dst: 'dl_dst' },
  eth_type: { '': 'dl_type' },
  ipv4: {
    src: 'nw_src',
    dst: 'nw_dst',
    proto: 'nw_proto',
    tos: 'tos',
    ttl: 'nw_ttl',
    frag: 'nw_frag',
  },
  ipv6: {
    src: 'ipv6_src',
    dst: 'ipv6_dst',
    label: 'ipv6_label',
    proto: 'nw_proto',
    tclass: 'tos',
    hlimit: 'nw_ttl',
    frag: 'nw_frag',
  },
  tcp: l4,
  udp: l4,
  sctp: l4,
  icmp,
  icmpv6: icmp,
  tcp_flags: { '': 'tcp_flags' },
  arp: { sip: 'arp_spa', tip: 'arp_tpa', op: 'arp_op', sha: 'arp_sha', tha: 'arp_tha' },
  nd: { target: 'nd_target', sll: 'nd_sll', tll: 'nd_tll' },
  nd_ext: { nd_reserved: 'nd_reserved', nd_options_type: 'nd_options_type' },
  ct_state: { '': 'ct_state' },
  ct_zone: { '': 'ct_zone' },
  ct_mark: { '': 'ct_mark' },
  ct_label: { '': 'ct_label' },
  ct_tuple4: {
    src: 'ct_nw_src',
    dst: 'ct_nw_dst',
    proto: 'ct_nw_proto',
    tp_src: 'ct_tp_src',
    tp_dst: 'ct_tp_dst',
  },
  ct_tuple6: {
    src: 'ct_ipv6_src',
    dst: 'ct_ipv6_dst',
    proto: 'ct_nw_proto',
    tp_src: 'ct_tp_src',
    tp_dst: 'ct_tp_dst',
  },
  tunnel: {
    tun_id: 'tun_id',
    src: 'tun_src',
    dst: 'tun_dst',
    ipv6_src: 'tun_ipv6_src',
    ipv6_dst: 'tun_ipv6_dst',
    tos: 'tun_tos',
    ttl: 'tun_ttl',
    tp_src: 'unused',
    tp_dst: 'unused',
    flags: 'tun_flags',
  },
};

/** Parts of a tunnel that have parts of their own, and the fields that these are. */
export const tunnelParts: Readonly<Record<string, KeyParts>> = {
  vxlan: { id: 'tun_gbp_id', flags: 'tun_gbp_flags' },
  erspan: {
    ver: 'tun_erspan_ver',
    idx: 'tun_erspan_idx',
    dir: 'tun_erspan_dir',
    hwid: 'tun_erspan_hwid',
  },
  gtpu: { flags: 'gtpu_flags', msgtype: 'gtpu_msgtype' },
};
