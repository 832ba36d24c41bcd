/** The fields that a select group hashes. */
import { splitActions, fieldNamed } from '../actions/parse-context.js';
import type { Field } from '../match/fields.js';
import type { Names } from '../syntax/form.js';
import { complain, type Span } from '../syntax/text.js';
import { parseMasked } from '../match/masked-values.js';
import type { Selection } from './group.js';

/** `fields=FIELD`, `fields(FIELD,FIELD=MASK…)` */
export function readFields(list: Span, names: Names): Selection['fields'] {
  const found = new Map<Field, bigint>();
  for (const { name, at, argument } of splitActions(list)) {
    const field = fieldNamed(at, name);
    if (found.has(field)) throw complain(at, `${field.name} is named twice`);
    const mask =
      argument.text === '' ? field.ones : parseMasked(field, argument, names.ports).value;
    if (mask === 0n || (mask !== field.ones && !field.maskable))
      throw complain(argument, `${field.name} cannot be hashed with the mask ${argument.text}`);
    found.set(field, mask);
  }
  return [...found]
    .map(([field, mask]) => ({ field, mask }))
    .sort((a, b) => fieldOrder(a.field) - fieldOrder(b.field));
}

/** Open vSwitch keeps fields in an order of its own, that of its meta-flow.h. */
const orderOfFields: readonly string[] = [
  'dp_hash',
  'recirc_id',
  'packet_type',
  'conj_id',
  'tun_id',
  'tun_src',
  'tun_dst',
  'tun_ipv6_src',
  'tun_ipv6_dst',
  'tun_flags',
  'tun_gbp_id',
  'tun_gbp_flags',
  'tun_erspan_idx',
  'tun_erspan_ver',
  'tun_erspan_dir',
  'tun_erspan_hwid',
  'tun_gtpu_flags',
  'tun_gtpu_msgtype',
  ...Array.from({ length: 64 }, (_, n) => `tun_metadata${n}`),
  'metadata',
  'in_port',
  'in_port_oxm',
  'actset_output',
  'pkt_mark',
  'ct_state',
  'ct_zone',
  'ct_mark',
  'ct_label',
  'ct_nw_proto',
  'ct_nw_src',
  'ct_nw_dst',
  'ct_ipv6_src',
  'ct_ipv6_dst',
  'ct_tp_src',
  'ct_tp_dst',
  ...Array.from({ length: 32 }, (_, n) => `reg${n}`),
  ...Array.from({ length: 16 }, (_, n) => `xreg${n}`),
  ...Array.from({ length: 8 }, (_, n) => `xxreg${n}`),
  'eth_src',
  'eth_dst',
  'eth_type',
  'vlan_tci',
  'vlan_vid',
  'vlan_pcp',
  'mpls_label',
  'mpls_tc',
  'mpls_bos',
  'mpls_ttl',
  'ip_src',
  'ip_dst',
  'ipv6_src',
  'ipv6_dst',
  'ipv6_label',
  'nw_proto',
  'nw_tos',
  'ip_dscp',
  'nw_ecn',
  'nw_ttl',
  'ip_frag',
  'arp_op',
  'arp_spa',
  'arp_tpa',
  'arp_sha',
  'arp_tha',
  'tcp_src',
  'tcp_dst',
  'tcp_flags',
  'udp_src',
  'udp_dst',
  'sctp_src',
  'sctp_dst',
  'icmp_type',
  'icmp_code',
  'icmpv6_type',
  'icmpv6_code',
  'nd_target',
  'nd_sll',
  'nd_tll',
  'nd_reserved',
  'nd_options_type',
];

function fieldOrder({ name }: Field): number {
  return orderOfFields.indexOf(name);
}
