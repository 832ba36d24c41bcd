/**
 * Packets that ovn-controller makes by itself (OVN controller/pinctrl.c, pinctrl_compose_ipv4 and
 * pinctrl_compose_ipv6), in answer to one that it was handed.
 */
import { formatIpv4, formatMac } from '../../base/addresses/mac-and-ipv4.js';
import { formatIpv6 } from '../../base/addresses/ipv6.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipv4Flags } from '../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { readField } from '../fields/field-values.js';

/** Where a packet is from and where it goes to. */
export interface Ends {
  readonly macs: { readonly src: string; readonly dst: string };
  readonly addresses: { readonly src: string; readonly dst: string };
}

export function isIpv6(key: FlowKey): boolean {
  return key[word.ethType] === etherTypes.ipv6;
}

export function isIpv4(key: FlowKey): boolean {
  return key[word.ethType] === etherTypes.ipv4;
}

/** Of the packet that was handed over. */
export function endsOf(key: FlowKey): Ends {
  const names = isIpv6(key) ? (['ipv6_src', 'ipv6_dst'] as const) : (['ip_src', 'ip_dst'] as const);
  const [src, dst] = names.map((name) => {
    const address = readField(key, fieldCalled(name));
    return isIpv6(key) ? formatIpv6(address) : formatIpv4(Number(address));
  });
  return {
    macs: { src: macIn(key, 'eth_src'), dst: macIn(key, 'eth_dst') },
    addresses: { src: src ?? '', dst: dst ?? '' },
  };
}

export function macIn(key: FlowKey, name: 'eth_src' | 'eth_dst'): string {
  const hex = readField(key, fieldCalled(name)).toString(16).padStart(12, '0');
  return formatMac(Uint8Array.from(Buffer.from(hex, 'hex')), 0);
}

export function turned({ macs, addresses }: Ends): Ends {
  return {
    macs: { src: macs.dst, dst: macs.src },
    addresses: { src: addresses.dst, dst: addresses.src },
  };
}

/** In the version of IP that `ends` has. */
export function ipPacket(
  { macs, addresses }: Ends,
  protocol: number,
  ttl: number,
  payload: Uint8Array,
): Uint8Array {
  return addresses.src.includes(':')
    ? encodeEthernet(
        { ...macs, etherType: etherTypes.ipv6 },
        encodeIpv6({ ...addresses, nextHeader: protocol, hopLimit: ttl }, payload),
      )
    : encodeEthernet(
        { ...macs, etherType: etherTypes.ipv4 },
        encodeIpv4({ ...addresses, protocol, ttl, flags: ipv4Flags.dontFragment }, payload),
      );
}
