/**
 * arp, nd_ns, nd_na and nd_na_router (ovn-sb(5), Logical_Flow, "actions"): who is asked for, and
 * answers, in a packet that the actions that are nested complete (OVN controller/pinctrl.c,
 * pinctrl_handle_arp, pinctrl_handle_nd_ns, pinctrl_handle_nd_na).
 */
import { formatIpv6, ipv6Number } from '../../base/addresses/ipv6.js';
import { macBytes } from '../../base/addresses/mac-and-ipv4.js';
import { encodeArp } from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIcmp6 } from '../../packet/protocols/ip/icmp6.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import {
  addressOption,
  encodeNeighbour,
  neighbourTypes,
} from '../../packet/protocols/ip/neighbour.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { readField } from '../fields/field-values.js';
import { endsOf, ipPacket, isIpv4, isIpv6 } from './made-packet.js';

/** Undefined where the packet that waits for the answer is no IP. */
export function arpRequest(key: FlowKey): Uint8Array | undefined {
  if (!isIpv4(key) && !isIpv6(key)) return undefined;
  const { macs, addresses } = endsOf(key);
  const none = '0.0.0.0';
  return encodeEthernet(
    { ...macs, etherType: etherTypes.arp },
    encodeArp({
      op: 1,
      sha: macs.src,
      tha: '00:00:00:00:00:00',
      spa: isIpv4(key) ? addresses.src : none,
      tpa: isIpv4(key) ? addresses.dst : none,
    }),
  );
}

const allOnes = (1n << 128n) - 1n;

/** Undefined where the packet that waits for the answer is no IP. */
export function solicitation(key: FlowKey): Uint8Array | undefined {
  if (!isIpv4(key) && !isIpv6(key)) return undefined;
  const { macs, addresses } = endsOf(key);
  const target = isIpv6(key) ? addresses.dst : formatIpv6(allOnes);
  const low = ipv6Number(target) & 0xffffffn;
  const hex = low.toString(16).padStart(6, '0').match(/../g) ?? [];
  const ends = {
    macs: { src: macs.src, dst: ['33', '33', 'ff', ...hex].join(':') },
    addresses: { src: linkLocalOf(macs.src), dst: formatIpv6((solicitedNode << 24n) | low) },
  };
  const body = encodeNeighbour(target, [addressOption('source', macs.src)]);
  const icmp = encodeIcmp6(
    { type: neighbourTypes.solicitation, code: 0, rest: 0 },
    body,
    ends.addresses,
  );
  return ipPacket(ends, ipProtocols.icmp6, 255, icmp);
}

/** ff02::1:ff00:0/104 (RFC 4291, section 2.7.1). */
const solicitedNode = 0xff0200000000000000000001ffn;

/** RFC 4291, appendix A. */
function linkLocalOf(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = macBytes(mac);
  const id = [a ^ 2, b, c, 0xff, 0xfe, d, e, f];
  return formatIpv6((0xfe80n << 112n) | id.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n));
}

/** Flags of an advertisement (RFC 4861, section 4.4). */
const flags = { router: 0x80000000, solicited: 0x40000000, override: 0x20000000 } as const;

/** Undefined where it is no neighbour discovery that is answered. */
export function advertisement(key: FlowKey, by: 'a host' | 'a router'): Uint8Array | undefined {
  const isDiscovery =
    isIpv6(key) &&
    key[word.nwProto] === ipProtocols.icmp6 &&
    (key[word.tpSrc] === neighbourTypes.solicitation ||
      key[word.tpSrc] === neighbourTypes.advertisement) &&
    key[word.tpDst] === 0;
  if (!isDiscovery) return undefined;
  const { macs, addresses } = endsOf(key);
  const target = formatIpv6(readField(key, fieldCalled('nd_target')));
  const ends = {
    macs: { src: macs.dst, dst: macs.src },
    addresses: { src: target, dst: addresses.src },
  };
  const rest = (flags.solicited | flags.override | (by === 'a router' ? flags.router : 0)) >>> 0;
  const icmp = encodeIcmp6(
    { type: neighbourTypes.advertisement, code: 0, rest },
    encodeNeighbour(target, [addressOption('target', macs.dst)]),
    ends.addresses,
  );
  return ipPacket(ends, ipProtocols.icmp6, 255, icmp);
}
