/** What a kernel hashes of a packet, where its hash alone is not known. */
import { isIp, word } from '../../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { Packet } from '../../packet/packet.js';

/**
 * The same for packets of which the kernel takes the same hash: its dissector reads addresses and
 * ports, whatever lengths and checksums say (Linux net/core/flow_dissector.c,
 * __skb_get_hash_symmetric). Where there are none, or more than these, it is all of the packet:
 * then others may have the same hash, and are asked about by themselves.
 */
export function hashedByKernel({ frame, key, layout }: Packet): string {
  const [type, protocol] = [key[word.ethType] ?? 0, key[word.nwProto] ?? 0];
  const hasPorts =
    isIp(type) &&
    protocolsWithPorts.includes(protocol) &&
    key[word.nwFrag] === 0 &&
    layout.l4 >= 0 &&
    frame.length >= layout.l4 + portsBytes;
  if (!hasPorts) return Buffer.from(frame).toString('hex');
  const tags = [key[word.vlanTci], key[word.vlanTci + 1]];
  const addresses = [
    key[word.nwSrc],
    key[word.nwDst],
    ...key.subarray(word.ipv6Src, word.ipv6Src + 8),
  ];
  const ports = Buffer.from(frame.subarray(layout.l4, layout.l4 + portsBytes)).toString('hex');
  return [type, ...tags, protocol, key[word.ipv6Label], ...addresses, ports].join(' ');
}

const portsBytes = 4;
const protocolsWithPorts: readonly number[] = [ipProtocols.tcp, ipProtocols.udp, ipProtocols.sctp];
