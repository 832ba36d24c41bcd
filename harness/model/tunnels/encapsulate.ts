/**
 * A packet inside a tunnel: the frame around it, and what the switch takes for its fields before it
 * reads them.
 */
import { Unpredictable, Unsupported } from '../../base/errors/errors.js';
import { formatAddress, isIpv4Address } from '../../base/addresses/ip-address.js';
import { finishChecksum, sumWords } from '../../packet/bytes/checksum.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { emptyBytes } from '../../packet/bytes/header-layout.js';
import { encodeIpv4, ipProtocols, ipv4Flags } from '../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { Behaviour } from '../behaviour.js';
import { type OptionFields, encodeOptions } from '../fields/tunnel-options.js';
import type { TunnelConfig } from './tunnel-config.js';
import { encapsulations, type EncapsulationInput } from './encapsulation.js';
import type { OuterHeader } from './outer-header.js';

/** Where the frame goes first. */
export interface Link {
  readonly src: string;
  readonly dst: string;
}

/**
 * Source ports of tunnels over UDP: the default range of `tnl/egress_port_range`; the upper bound
 * itself is never used.
 */
const sourcePorts = { first: 32768, end: 61000 } as const;

const longest = { datagram: 0xffff, options: 252 } as const;

/** The headers that encapsulate a packet, whatever the packet is. */
export interface TunnelHeader {
  readonly config: TunnelConfig;
  readonly header: OuterHeader;
  readonly link: Link;
  readonly sent: Omit<EncapsulationInput, 'header' | 'config'>;
  readonly sourcePorts: 'by the hash' | 'the first';
  /**
   * What stands in front of every packet, without its length and what follows from it; missing
   * where there are checksums of what is inside, or its type.
   */
  readonly head?: { readonly bytes: Uint8Array /** Of IPv4's header. */; readonly sum: number };
}

/** @throws Unsupported for more options than there is room for. */
export function tunnelHeaderOf(
  key: FlowKey,
  config: TunnelConfig,
  header: OuterHeader,
  options: OptionFields,
  link: Link,
  { datapath }: Pick<Behaviour, 'datapath'>,
): TunnelHeader {
  const { bytes, isCritical } = encodeOptions(key, options);
  if (bytes.length > longest.options) throw tooLong();
  const envelope: Omit<TunnelHeader, 'head'> = {
    config,
    header,
    link,
    sourcePorts: datapath === 'in the kernel' ? 'the first' : 'by the hash',
    sent: { options: bytes, isCritical, isOam: key[word.tunFlags] !== 0 },
  };
  const isAlike = header.checksum === 'absent' && config.carries === 'frames';
  if (!isAlike || !isIpv4Address(header.destination)) return envelope;
  return { ...envelope, head: headOf(envelope) };
}

/** Made once for all that go the same way. */
function headOf(envelope: Omit<TunnelHeader, 'head'>): NonNullable<TunnelHeader['head']> {
  const { config, header, link, sent } = envelope;
  const name = [
    header.source,
    header.destination,
    header.id,
    header.tos,
    header.ttl,
    header.fragments,
    link.src,
    link.dst,
    sent.isOam,
    sent.isCritical,
    sent.options,
  ].join();
  const heads = knownHeads.get(config) ?? new Map<string, NonNullable<TunnelHeader['head']>>();
  knownHeads.set(config, heads);
  const known = heads.get(name);
  if (known !== undefined) return known;
  const bytes = seal(new Uint8Array(), 0, envelope);
  put16(bytes, outer.length, 0);
  put16(bytes, outer.checksum, 0);
  const head = { bytes, sum: sumWords(bytes.subarray(outer.ip, outer.transport)) };
  if (heads.size >= mostHeads) heads.clear();
  heads.set(name, head);
  return head;
}

const knownHeads = new WeakMap<TunnelConfig, Map<string, NonNullable<TunnelHeader['head']>>>();

const mostHeads = 1024;

/** Places in a frame of IPv4 without options. */
const outer = { ip: 14, length: 16, checksum: 24, transport: 34, udpLength: 38 } as const;

/**
 * The outer frame. @param hash of the packet inside when it entered the datapath.
 * @throws Unsupported where it is longer than an IP packet can be.
 */
export function encapsulate(frame: Uint8Array, hash: number, envelope: TunnelHeader): Uint8Array {
  const { head, config, sent, sourcePorts } = envelope;
  if (frame.length + sent.options.length + 100 > longest.datagram) throw tooLong();
  if (head === undefined) return seal(frame, hash, envelope);
  const whole = emptyBytes(head.bytes.length + frame.length);
  whole.set(head.bytes);
  whole.set(frame, head.bytes.length);
  put16(whole, outer.length, whole.length - outer.ip);
  put16(whole, outer.checksum, finishChecksum(head.sum + whole.length - outer.ip));
  if (encapsulations[config.type].protocol !== ipProtocols.udp) return whole;
  put16(whole, outer.transport, sourcePort(hash, sourcePorts));
  put16(whole, outer.udpLength, whole.length - outer.transport);
  return whole;
}

function put16(bytes: Uint8Array, place: number, value: number): void {
  bytes[place] = value >>> 8;
  bytes[place + 1] = value & 0xff;
}

function seal(
  frame: Uint8Array,
  hash: number,
  { config, header, link, sent, sourcePorts: ports }: TunnelHeader,
): Uint8Array {
  const { protocol, put } = encapsulations[config.type];
  const carried = put(frame, { ...sent, header, config });
  const addresses = { src: formatAddress(header.source), dst: formatAddress(header.destination) };
  const payload =
    protocol === ipProtocols.udp
      ? encodeUdp(
          { srcPort: sourcePort(hash, ports), dstPort: config.udpPort },
          carried,
          header.checksum === 'present' ? addresses : 'no-checksum',
        )
      : carried;
  if (!isIpv4Address(header.destination))
    return encodeEthernet(
      { ...link, etherType: etherTypes.ipv6 },
      encodeIpv6(
        { ...addresses, nextHeader: protocol, hopLimit: header.ttl, trafficClass: header.tos },
        payload,
      ),
    );
  const flags = header.fragments === 'forbidden' ? ipv4Flags.dontFragment : 0;
  return encodeEthernet(
    { ...link, etherType: etherTypes.ipv4 },
    encodeIpv4({ ...addresses, protocol, ttl: header.ttl, tos: header.tos, flags }, payload),
  );
}

/**
 * @throws Unpredictable where inner checksums are offloaded until the packet leaves, and an outer
 *   one is computed before that.
 */
export function refuseLateChecksum(
  { config, header }: TunnelHeader,
  isRewritten: boolean,
  { translatedChecksum }: Behaviour,
): void {
  if (
    translatedChecksum === 'recomputed' &&
    isRewritten &&
    config.type === 'gre' &&
    header.checksum === 'present'
  )
    throw new Unpredictable(
      'Open vSwitch since 3.6 takes the checksum of GRE before it has written those of what ' +
        'was changed inside',
    );
}

function tooLong(): Unsupported {
  return new Unsupported('the model does not know what a tunnel makes of what is too long for it');
}

function sourcePort(hash: number, by: TunnelHeader['sourcePorts']): number {
  if (by === 'the first') return sourcePorts.first;
  return (
    sourcePorts.first + Math.floor((hash * (sourcePorts.end - sourcePorts.first)) / 0x1_0000_0000)
  );
}
