/**
 * What a kernel chooses by itself in the outer headers of its tunnels, and nobody could know: the
 * source port of UDP, from a hash with a secret, and the identification of IP. Each is put to what
 * the model has, so that all else of these frames is compared. A checksum that it leaves to a
 * device is finished, as that would.
 */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { formatIpv4 } from '../../base/addresses/mac-and-ipv4.js';
import { finishChecksum, sumWords } from '../../packet/bytes/checksum.js';

/** The first of those that Open vSwitch gives tunnels (`tnl/egress_port_range`). */
const sourcePort = 32_768;

const tunnelPorts = [6081, 4789, 7471];

/** Places in a frame of IPv4 without options. */
const at = { etherType: 12, ip: 14, id: 18, protocol: 23, checksum: 24, source: 26, udp: 34 };

/** A frame out of a node, as it would be had its kernel nothing to choose. */
export function withoutKernelChoices({ bridges }: NodePlan): (frame: Uint8Array) => Uint8Array {
  const ends = new Set(bridges.flatMap(({ underlay }) => underlay?.ip ?? []));
  return (frame) => {
    const bytes = Buffer.from(frame);
    if (bytes.length < at.udp + 8 || bytes.readUInt16BE(at.etherType) !== 0x0800) return frame;
    if (bytes.readUInt8(at.ip) !== 0x45) return frame;
    if (!ends.has(formatIpv4(bytes.readUInt32BE(at.source)))) return frame;
    const protocol = bytes.readUInt8(at.protocol);
    const isUdp = protocol === 17 && tunnelPorts.includes(bytes.readUInt16BE(at.udp + 2));
    if (!isUdp && protocol !== 47) return frame;
    bytes.writeUInt16BE(0, at.id);
    bytes.writeUInt16BE(0, at.checksum);
    bytes.writeUInt16BE(finishChecksum(sumWords(bytes, 0, at.ip, at.udp)), at.checksum);
    if (isUdp) setSourcePort(bytes);
    return Uint8Array.from(bytes);
  };
}

/** With a checksum that was right as right as it was (RFC 1624). */
function setSourcePort(bytes: Buffer): void {
  const before = bytes.readUInt16BE(at.udp);
  bytes.writeUInt16BE(sourcePort, at.udp);
  const checksum = bytes.readUInt16BE(at.udp + 6);
  if (checksum === 0) return;
  const begun = pseudoHeaderSum(bytes);
  if (checksum === begun) {
    bytes.writeUInt16BE(0, at.udp + 6);
    const end = at.udp + bytes.readUInt16BE(at.udp + 4);
    bytes.writeUInt16BE(finishChecksum(sumWords(bytes, begun, at.udp, end)) || 0xffff, at.udp + 6);
    return;
  }
  let sum = (~checksum & 0xffff) + (~before & 0xffff) + sourcePort;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  bytes.writeUInt16BE(~sum & 0xffff || 0xffff, at.udp + 6);
}

/** What is in the place of a checksum that the kernel leaves to a device (CHECKSUM_PARTIAL). */
function pseudoHeaderSum(bytes: Buffer): number {
  let sum = sumWords(bytes, 17 + bytes.readUInt16BE(at.udp + 4), at.source, at.udp);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

/**
 * A frame by which ovs-vswitchd, at its start, asks a datapath what it can: between addresses of
 * zeros, of a type that nobody has (ofproto/ofproto-dpif.c, check_masked_set_action and others).
 * The kernel's has its ports already where it starts again, and one may leave there.
 */
export function isProbe(frame: Uint8Array): boolean {
  return (
    frame.length >= 14 &&
    frame[12] === 0x12 &&
    frame[13] === 0x34 &&
    frame.subarray(0, 12).every((byte) => byte === 0)
  );
}
