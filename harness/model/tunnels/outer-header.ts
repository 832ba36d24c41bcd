/**
 * The outer header, as far as the tunnel's port and the packet decide it (Open vSwitch
 * ofproto/tunnel.c, tnl_port_send).
 */
import { isIp, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { isIpv4Address } from '../../base/addresses/ip-address.js';
import type { Behaviour } from '../behaviour.js';
import {
  setTunnelDestination,
  setTunnelSource,
  tunnelDestination,
  tunnelSource,
} from './tunnel-addresses.js';
import type { TunnelConfig } from './tunnel-config.js';

export interface OuterHeader {
  /** Zero where the route says. */
  readonly source: bigint;
  readonly destination: bigint;
  /** 64 bits, of which each type carries fewer. */
  readonly id: bigint;
  readonly tos: number;
  readonly ttl: number;
  readonly fragments: TunnelConfig['fragments'];
  readonly checksum: 'present' | 'absent';
}

/**
 * ECN is the packet's own, except that congestion is not signalled outside before it is met there
 * (RFC 6040, section 4.1, "compatibility mode").
 */
const ecn = { mask: 3, congestion: 3, capable: 2 } as const;

export function outerOf(config: TunnelConfig, key: FlowKey, behaviour: Behaviour): OuterHeader {
  const destination = config.remote === 'flow' ? tunnelDestination(key) : config.remote;
  const source =
    config.local === 'flow' ? tunnelSource(key) : config.local === 'any' ? 0n : config.local;
  const isInherited = isIp(key[word.ethType] ?? 0);
  const innerTos = isInherited ? (key[word.nwTos] ?? 0) : 0;
  const outerEcn = (innerTos & ecn.mask) === ecn.congestion ? ecn.capable : innerTos & ecn.mask;
  return {
    source,
    destination,
    id: idOf(config, key),
    tos: (config.tos === 'inherit' ? innerTos & ~ecn.mask : config.tos) | outerEcn,
    ttl: config.ttl !== 'inherit' ? config.ttl : isInherited ? (key[word.nwTtl] ?? 0) : 64,
    fragments: config.fragments,
    checksum: hasChecksum(config, destination, behaviour) ? 'present' : 'absent',
  };
}

function idOf({ outKey }: TunnelConfig, key: FlowKey): bigint {
  if (outKey === 'none') return 0n;
  return outKey === 'flow'
    ? (BigInt(key[word.tunId] ?? 0) << 32n) | BigInt(key[word.tunId + 1] ?? 0)
    : outKey;
}

/**
 * UDP in IPv6 has one unless it was asked to be left out (RFC 6935); GRE only where it was asked
 * for.
 */
function hasChecksum(
  { type, checksum }: TunnelConfig,
  destination: bigint,
  behaviour: Behaviour,
): boolean {
  const isUsual = type !== 'gre' && !isIpv4Address(destination);
  return (
    checksum === 'on' ||
    (isUsual && (checksum === 'as usual' || behaviour.ipv6UdpChecksums === 'always'))
  );
}

/** What the packet's tunnel fields become where it is found only then that nothing is sent. */
export function writeOuterToKey(
  key: FlowKey,
  { source, destination, id, tos, ttl }: OuterHeader,
): void {
  setTunnelSource(key, source);
  setTunnelDestination(key, destination);
  key[word.tunId] = Number(id >> 32n);
  key[word.tunId + 1] = Number(id & 0xffffffffn);
  key[word.tunTos] = tos;
  key[word.tunTtl] = ttl;
}
