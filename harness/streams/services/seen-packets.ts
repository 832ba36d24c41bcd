/** What crossed the ports of pods, as it is compared: of each connection how it begins. */
import { formatIpv4, formatMac } from '../../base/addresses/mac-and-ipv4.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';

export interface SeenPacket {
  readonly pod: string;
  /** Seen from the switch. */
  readonly direction: 'in' | 'out';
  /** The ports of both ends. */
  readonly ports: readonly [number, number];
  readonly isReset: boolean;
  /** Addresses, TTL and flags: all that a switch or a node may have changed. */
  readonly text: string;
}

/**
 * Datagrams of UDP, and segments with SYN or RST. Numbers of sequences, windows, options and the
 * identification of IP are the stacks' own, and checksums are left to offload.
 */
export function seenPacket(
  pod: string,
  direction: 'in' | 'out',
  frame: Uint8Array,
): SeenPacket | undefined {
  const bytes = Buffer.from(frame);
  if (bytes.length < 42 || bytes.readUInt16BE(12) !== 0x0800) return undefined;
  const protocol = bytes.readUInt8(23);
  const transport = 14 + (bytes.readUInt8(14) & 15) * 4;
  if (![6, 17].includes(protocol) || bytes.length < transport + 8) return undefined;
  const flags =
    protocol === 6 ? bytes.readUInt8(transport + 13) & (tcpFlags.SYN | tcpFlags.RST) : 0;
  if (protocol === 6 && flags === 0) return undefined;
  const ports = [bytes.readUInt16BE(transport), bytes.readUInt16BE(transport + 2)] as const;
  const words =
    protocol === 17
      ? 'UDP'
      : `TCP ${(flags & tcpFlags.SYN) === 0 ? 'RST' : ackOf(bytes.readUInt8(transport + 13))}`;
  const ends =
    `${formatIpv4(bytes.readUInt32BE(26))}:${ports[0]} to ` +
    `${formatIpv4(bytes.readUInt32BE(30))}:${ports[1]}`;
  const macs = `${formatMac(bytes, 6)} to ${formatMac(bytes)}`;
  return {
    pod,
    direction,
    ports,
    isReset: (flags & tcpFlags.RST) !== 0,
    text: `${pod} ${direction}: ${words} ${ends} TTL ${bytes.readUInt8(22)}, ${macs}`,
  };
}

function ackOf(flags: number): string {
  return (flags & tcpFlags.ACK) === 0 ? 'SYN' : 'SYN ACK';
}
