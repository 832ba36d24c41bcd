/** The addresses of a tunnel as a flow key has them: IPv4 and IPv6 in words of their own. */
import { fromIpv4, isIpv4Address, toIpv4 } from '../../base/addresses/ip-address.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';

/**
 * Whichever there is, that of IPv4 first; zero for none (Open vSwitch lib/packets.h, flow_tnl_dst).
 */
export function tunnelSource(key: FlowKey): bigint {
  return eitherOf(key, word.tunSrc, word.tunIpv6Src);
}

export function tunnelDestination(key: FlowKey): bigint {
  return eitherOf(key, word.tunDst, word.tunIpv6Dst);
}

export function setTunnelSource(key: FlowKey, address: bigint): void {
  setEither(key, word.tunSrc, word.tunIpv6Src, address);
}

export function setTunnelDestination(key: FlowKey, address: bigint): void {
  setEither(key, word.tunDst, word.tunIpv6Dst, address);
}

/** The 128 bits that begin at a word. */
export function readWide(key: FlowKey, at: number): bigint {
  return [0, 1, 2, 3].reduce((value, index) => (value << 32n) | BigInt(key[at + index] ?? 0), 0n);
}

export function writeWide(key: FlowKey, at: number, value: bigint): void {
  for (let index = 3, rest = value; index >= 0; index--, rest >>= 32n)
    key[at + index] = Number(rest & 0xffffffffn);
}

function eitherOf(key: FlowKey, ipv4: number, ipv6: number): bigint {
  const number = key[ipv4] ?? 0;
  return number === 0 ? readWide(key, ipv6) : fromIpv4(number);
}

function setEither(key: FlowKey, ipv4: number, ipv6: number, address: bigint): void {
  key[ipv4] = isIpv4Address(address) ? toIpv4(address) : 0;
  writeWide(key, ipv6, isIpv4Address(address) ? 0n : address);
}
