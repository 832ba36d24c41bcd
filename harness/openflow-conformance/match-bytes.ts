/** OXM fields and matches, as bytes (OpenFlow 1.3.5, 7.2.2). */
import { ipv6Number } from '../base/addresses/ipv6.js';
import { macBytes, ipv4Number } from '../base/addresses/mac-and-ipv4.js';
import type { MatchOf, Tlv } from './corpus.js';
import { filled, u16, u8 } from './big-endian.js';
import { assert } from '../base/errors/errors.js';
import { fieldsOf } from './program.js';

/** Number and bytes of the fields (section A.2.3.7), and how the corpus writes their values. */
const fields: Readonly<
  Record<string, readonly [number: number, bytes: number, written?: 'mac' | 'ipv4' | 'ipv6']>
> = {
  in_port: [0, 4],
  metadata: [2, 8],
  eth_dst: [3, 6, 'mac'],
  eth_src: [4, 6, 'mac'],
  eth_type: [5, 2],
  vlan_vid: [6, 2],
  vlan_pcp: [7, 1],
  ip_dscp: [8, 1],
  ip_ecn: [9, 1],
  ip_proto: [10, 1],
  ipv4_src: [11, 4, 'ipv4'],
  ipv4_dst: [12, 4, 'ipv4'],
  tcp_src: [13, 2],
  tcp_dst: [14, 2],
  udp_src: [15, 2],
  udp_dst: [16, 2],
  sctp_src: [17, 2],
  sctp_dst: [18, 2],
  icmpv4_type: [19, 1],
  icmpv4_code: [20, 1],
  arp_op: [21, 2],
  arp_spa: [22, 4, 'ipv4'],
  arp_tpa: [23, 4, 'ipv4'],
  arp_sha: [24, 6, 'mac'],
  arp_tha: [25, 6, 'mac'],
  ipv6_src: [26, 16, 'ipv6'],
  ipv6_dst: [27, 16, 'ipv6'],
  ipv6_flabel: [28, 4],
  icmpv6_type: [29, 1],
  icmpv6_code: [30, 1],
  ipv6_nd_target: [31, 16, 'ipv6'],
  ipv6_nd_sll: [32, 6, 'mac'],
  ipv6_nd_tll: [33, 6, 'mac'],
  mpls_label: [34, 4],
  mpls_tc: [35, 1],
  mpls_bos: [36, 1],
  pbb_isid: [37, 3],
  tunnel_id: [38, 8],
  ipv6_exthdr: [39, 2],
};

/** The class of all of them (section A.2.3.3). */
const basicClass = 0x8000;

export function valueBytes(
  value: number | string,
  bytes: number,
  written: 'mac' | 'ipv4' | 'ipv6' | undefined,
): Buffer {
  if (written === 'mac') return Buffer.from(macBytes(String(value)));
  const number =
    written === 'ipv4'
      ? BigInt(ipv4Number(String(value)))
      : written === 'ipv6'
        ? ipv6Number(String(value))
        : BigInt(value);
  return Buffer.from(number.toString(16).padStart(bytes * 2, '0'), 'hex');
}

export function fieldBytes({ field, value, mask }: Tlv): Buffer {
  const [number, bytes, written] = fields[field] ?? [];
  assert(
    number !== undefined && bytes !== undefined,
    `the corpus has a field that is not known: ${field}`,
  );
  const values = [value, ...(mask === undefined || mask === null ? [] : [mask])].map((text) =>
    valueBytes(text, bytes, written),
  );
  return Buffer.concat([
    u16(basicClass),
    u8((number << 1) | (values.length - 1), values.length * bytes),
    ...values,
  ]);
}

/** Section A.2.3: type 1, its length without the zeros that fill it up, fields. */
export function matchBytes(match: MatchOf | undefined): Buffer {
  const fields = Buffer.concat(fieldsOf(match).map(fieldBytes));
  return filled(Buffer.concat([u16(1, 4 + fields.length), fields]));
}
