/** Frames of neighbour discovery (RFC 4861, sections 4.3 and 4.4). */
import { groupMac, solicitedNodeOf } from '../../../base/addresses/link-local.js';
import { encodeEthernet, etherTypes } from '../link/ethernet.js';
import { encodeIcmp6 } from './icmp6.js';
import { ipProtocols } from './ipv4.js';
import { encodeIpv6 } from './ipv6.js';
import { addressOption, encodeNeighbour, neighbourTypes } from './neighbour.js';

export interface Station {
  readonly mac: string;
  readonly ip: string;
}

/** Flags of an advertisement (RFC 4861, section 4.4). */
export const advertisementFlags = {
  router: 0x80000000,
  solicited: 0x40000000,
  override: 0x20000000,
} as const;

/** Nobody farther away can have sent it. */
export const neighbourHopLimit = 255;

/** `from` asks all who may have `target`. @throws InputError for a text that is no address. */
export function solicitationFrame(from: Station, target: string): Uint8Array {
  const group = solicitedNodeOf(target);
  return frameOf(from, { mac: groupMac(group), ip: group }, (addresses) =>
    encodeIcmp6(
      { type: neighbourTypes.solicitation, code: 0, rest: 0 },
      encodeNeighbour(target, [addressOption('source', from.mac)]),
      addresses,
    ),
  );
}

/** `from` says to `to` that it is there. @param flags bits of `advertisementFlags`. */
export function advertisementFrame(from: Station, to: Station, flags: number): Uint8Array {
  return frameOf(from, to, (addresses) =>
    encodeIcmp6(
      { type: neighbourTypes.advertisement, code: 0, rest: flags >>> 0 },
      encodeNeighbour(from.ip, [addressOption('target', from.mac)]),
      addresses,
    ),
  );
}

function frameOf(
  from: Station,
  to: Station,
  encode: (addresses: { readonly src: string; readonly dst: string }) => Uint8Array,
): Uint8Array {
  const addresses = { src: from.ip, dst: to.ip };
  return encodeEthernet(
    { src: from.mac, dst: to.mac, etherType: etherTypes.ipv6 },
    encodeIpv6(
      { ...addresses, nextHeader: ipProtocols.icmp6, hopLimit: neighbourHopLimit },
      encode(addresses),
    ),
  );
}
