/**
 * What IP carries, as the tracker reads it: the tuple of a packet, or of one that an ICMP error
 * quotes (Open vSwitch lib/conntrack.c, extract_l4).
 */
import type { ByteView } from '../../../packet/bytes/byte-view.js';
import { word, type FlowKey } from '../../../packet/flow-key/flow-key.js';
import type { Layout } from '../../../packet/flow-key/extract/extract.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { ipv6Length } from '../../../packet/protocols/ip/ipv6.js';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import type { Behaviour } from '../../behaviour.js';
import { counterpart } from './icmp.js';
import { addressesOf, type Address, type Family, type Tuple } from '../tuple.js';

export interface Transport {
  readonly zone: number;
  readonly family: Family;
  readonly src: Address;
  readonly dst: Address;
  readonly protocol: number;
  /** Of the whole frame. */
  readonly frame: Uint8Array;
  readonly view: ByteView;
  /** Where its header begins, and where IP ends. */
  readonly at: number;
  readonly end: number;
}

/** Bytes of headers without options, and of what identifies a message of ICMP. */
export const headerLengths = { tcp: 20, udp: 8, sctp: 12, icmp: 8 } as const;

/** Of a whole packet. Undefined where its layers are broken, or it is not IP. */
export function transportOf(
  frame: Uint8Array,
  { l3, l4 }: Layout,
  key: FlowKey,
  zone: number,
): Transport | undefined {
  const addresses = l4 < 0 ? undefined : addressesOf(key);
  if (addresses === undefined) return undefined;
  const { family, src, dst } = addresses;
  const view = viewOf(frame);
  const end =
    family === 'ipv4' ? l3 + view.getUint16(l3 + 2) : l3 + ipv6Length + view.getUint16(l3 + 4);
  return { zone, family, src, dst, protocol: key[word.nwProto] ?? 0, frame, view, at: l4, end };
}

/** The protocol that a packet is tracked by. */
export function protocolOf(
  { family, protocol }: Transport,
  { trackedSctp }: Behaviour,
): 'tcp' | 'udp' | 'sctp' | 'icmp' | 'other' {
  switch (protocol) {
    case ipProtocols.tcp:
      return 'tcp';
    case ipProtocols.udp:
      return 'udp';
    case ipProtocols.sctp:
      return trackedSctp === 'by ports' ? 'sctp' : 'other';
    case family === 'ipv4' ? ipProtocols.icmp : ipProtocols.icmp6:
      return 'icmp';
    default:
      return 'other';
  }
}

/**
 * Undefined where the header is cut off, and for messages of ICMP that are neither requests nor
 * answers; outside of the kernel for port 0 and other codes of ICMP as well.
 * @param shortest bytes of a header that will do where it is only quoted.
 */
export function tupleOf(
  transport: Transport,
  behaviour: Behaviour,
  shortest?: number,
): Tuple | undefined {
  const protocol = protocolOf(transport, behaviour);
  if (protocol === 'other') return between(transport, 0, 0);
  const isInKernel = behaviour.datapath === 'in the kernel';
  const { view, at, end } = transport;
  if (end - at < (shortest ?? headerLengths[protocol])) return undefined;
  if (protocol === 'icmp') {
    const type = view.getUint8(at);
    const answer = counterpart(transport.protocol, type, behaviour.datapath);
    const code = view.getUint8(at + 1);
    if (answer === undefined || (code !== 0 && !isInKernel)) return undefined;
    const identifier = view.getUint16(at + 4);
    const tuple = between(transport, identifier, identifier, type, answer);
    return code === 0 ? tuple : { ...tuple, code };
  }
  const [src, dst] = [view.getUint16(at), view.getUint16(at + 2)];
  return (src === 0 || dst === 0) && !isInKernel ? undefined : between(transport, src, dst);
}

function between(
  { zone, family, protocol, src, dst }: Transport,
  srcPort: number,
  dstPort: number,
  srcType = 0,
  dstType = 0,
): Tuple {
  return {
    zone,
    family,
    protocol,
    src: { address: src, port: srcPort, type: srcType },
    dst: { address: dst, port: dstPort, type: dstType },
  };
}
