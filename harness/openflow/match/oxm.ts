/**
 * OpenFlow's extensible matches as bytes (OpenFlow 1.5, section 7.2.3; ovs-fields(7)): what a
 * switch knows of a packet beside its frame.
 */
import { InputError } from '../../base/errors/errors.js';
import { fieldCalled, fields, type Field } from './fields.js';
import type { Match } from './match.js';
import type { FieldMatch } from './field-match.js';

/** Classes of fields; those of an experimenter have its number behind the class. */
const nxm0 = 0x0000,
  nxm1 = 0x0001,
  basic = 0x8000,
  packetRegisters = 0x8001,
  experimenter = 0xffff;
const nicira = 0x2320;

/** Class, number and name of the fields that packet-ins contain. */
const numbers: readonly (readonly [oxmClass: number, number: number, name: string])[] = [
  [nxm0, 0, 'in_port'],
  [basic, 0, 'in_port'],
  [basic, 2, 'metadata'],
  [basic, 5, 'eth_type'],
  [basic, 38, 'tun_id'],
  [basic, 44, 'packet_type'],
  ...Array.from({ length: 16 }, (_, n) => [nxm1, n, `reg${n}`] as const),
  ...Array.from({ length: 16 }, (_, n) => [experimenter, 17 + n, `reg${16 + n}`] as const),
  ...Array.from({ length: 8 }, (_, n) => [packetRegisters, n, `xreg${n}`] as const),
  ...Array.from({ length: 4 }, (_, n) => [nxm1, 111 + n, `xxreg${n}`] as const),
  [nxm1, 31, 'tun_src'],
  [nxm1, 32, 'tun_dst'],
  [nxm1, 109, 'tun_ipv6_src'],
  [nxm1, 110, 'tun_ipv6_dst'],
  [nxm1, 38, 'tun_gbp_id'],
  [nxm1, 39, 'tun_gbp_flags'],
  [nxm1, 104, 'tun_flags'],
  ...Array.from({ length: 64 }, (_, n) => [nxm1, 40 + n, `tun_metadata${n}`] as const),
  [experimenter, 11, 'tun_erspan_idx'],
  [experimenter, 12, 'tun_erspan_ver'],
  [experimenter, 13, 'tun_erspan_dir'],
  [experimenter, 14, 'tun_erspan_hwid'],
  [experimenter, 15, 'tun_gtpu_flags'],
  [experimenter, 16, 'tun_gtpu_msgtype'],
  [nxm1, 33, 'pkt_mark'],
  [nxm1, 105, 'ct_state'],
  [nxm1, 106, 'ct_zone'],
  [nxm1, 107, 'ct_mark'],
  [nxm1, 108, 'ct_label'],
  [nxm1, 119, 'ct_nw_proto'],
  [nxm1, 120, 'ct_nw_src'],
  [nxm1, 121, 'ct_nw_dst'],
  [nxm1, 122, 'ct_ipv6_src'],
  [nxm1, 123, 'ct_ipv6_dst'],
  [nxm1, 124, 'ct_tp_src'],
  [nxm1, 125, 'ct_tp_dst'],
];

/** The same of what stands in frames: actions write these as well. */
const inFrames: readonly (readonly [oxmClass: number, number: number, name: string])[] = [
  [basic, 3, 'eth_dst'],
  [basic, 4, 'eth_src'],
  [basic, 11, 'ip_src'],
  [basic, 12, 'ip_dst'],
  [basic, 13, 'tcp_src'],
  [basic, 14, 'tcp_dst'],
  [basic, 15, 'udp_src'],
  [basic, 16, 'udp_dst'],
  [basic, 17, 'sctp_src'],
  [basic, 18, 'sctp_dst'],
  [basic, 19, 'icmp_type'],
  [basic, 20, 'icmp_code'],
  [basic, 21, 'arp_op'],
  [basic, 22, 'arp_spa'],
  [basic, 23, 'arp_tpa'],
  [basic, 24, 'arp_sha'],
  [basic, 25, 'arp_tha'],
  [basic, 26, 'ipv6_src'],
  [basic, 27, 'ipv6_dst'],
  [basic, 29, 'icmpv6_type'],
  [basic, 30, 'icmpv6_code'],
  [basic, 31, 'nd_target'],
  [basic, 32, 'nd_sll'],
  [basic, 33, 'nd_tll'],
  [nxm0, 1, 'eth_dst'],
  [nxm0, 2, 'eth_src'],
  [nxm0, 7, 'ip_src'],
  [nxm0, 8, 'ip_dst'],
  [nxm0, 9, 'tcp_src'],
  [nxm0, 10, 'tcp_dst'],
  [nxm0, 11, 'udp_src'],
  [nxm0, 12, 'udp_dst'],
  [nxm0, 13, 'icmp_type'],
  [nxm0, 14, 'icmp_code'],
  [nxm0, 15, 'arp_op'],
  [nxm0, 16, 'arp_spa'],
  [nxm0, 17, 'arp_tpa'],
  [nxm1, 17, 'arp_sha'],
  [nxm1, 18, 'arp_tha'],
  [nxm1, 19, 'ipv6_src'],
  [nxm1, 20, 'ipv6_dst'],
  [nxm1, 21, 'icmpv6_type'],
  [nxm1, 22, 'icmpv6_code'],
  [nxm1, 23, 'nd_target'],
  [nxm1, 24, 'nd_sll'],
  [nxm1, 25, 'nd_tll'],
  [nxm1, 29, 'nw_ttl'],
];

const known: ReadonlyMap<string, Field> = new Map(
  [...numbers, ...inFrames].map(([oxmClass, number, name]) => [
    `${oxmClass}.${number}`,
    fieldCalled(name),
  ]),
);

/**
 * Reads fields one after another up to the end of `bytes`. Values are whole, as a packet has them,
 * unless a mask stands behind.
 * @throws InputError for a field that packet-ins are not known to have, or one that is cut off.
 */
export function readFields(bytes: Uint8Array): Match {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: FieldMatch[] = [];
  for (let at = 0; at < view.length; ) {
    const end = at + 4 + (view[at + 3] ?? 0);
    if (at + 4 > view.length || end > view.length)
      throw new InputError(`a field of a packet-in is cut off: ${view.toString('hex', at)}`);
    found.push(readField(view.subarray(at, end)));
    at = end;
  }
  return found.sort((a, b) => fields.indexOf(a.field) - fields.indexOf(b.field));
}

/** A field's header alone, and how many bytes it takes. @throws InputError as `readFields`. */
export function readOxmHeader(bytes: Uint8Array): {
  readonly field: Field;
  readonly bytes: number;
} {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const oxmClass = view.length < 4 ? -1 : view.readUInt16BE(0);
  const start = oxmClass === experimenter ? 8 : 4;
  const field =
    start === 8 && (view.length < start || view.readUInt32BE(4) !== nicira)
      ? undefined
      : known.get(`${oxmClass}.${(view[2] ?? 0) >> 1}`);
  if (field === undefined)
    throw new InputError(`a packet-in has a field that is not known: ${view.toString('hex')}`);
  return { field, bytes: start };
}

/**
 * One field: class, number and whether there is a mask in the first 24 bits, the length of the rest
 * in the next 8.
 */
function readField(bytes: Buffer): FieldMatch {
  const { field, bytes: start } = readOxmHeader(bytes);
  const masked = ((bytes[2] ?? 0) & 1) === 1;
  const length = (bytes.length - start) / (masked ? 2 : 1);
  const numberAt = (from: number) =>
    BigInt(`0x0${bytes.toString('hex', from, from + length)}`) & field.ones;
  return { field, value: numberAt(start), mask: masked ? numberAt(start + length) : field.ones };
}
