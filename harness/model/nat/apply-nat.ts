/**
 * Translations go into the packet's bytes, with every checksum that covers them (Open vSwitch
 * lib/conntrack.c, nat_packet).
 */
import { Unpredictable, Unsupported } from '../../base/errors/errors.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import type { Layout } from '../../packet/flow-key/extract/extract.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { rewriteTranslated } from '../../packet/flow-key/rewrite/rewrite.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { rewriteIdentifier } from '../../packet/flow-key/rewrite/rewrite-transport.js';
import type { Behaviour } from '../behaviour.js';
import { counterpart } from '../conntrack/protocols/icmp.js';
import { hasPorts } from './nat.js';
import type { NatMapping } from '../conntrack/tracked.js';
import { applyNatToError } from './apply-nat-to-error.js';
import { headerLengths } from '../conntrack/protocols/transport.js';

/** A frame, and what is known of its bytes. */
export interface ParsedFrame {
  readonly frame: Uint8Array;
  readonly layout: Layout;
  readonly key: FlowKey;
}

/**
 * The frame after `change`. @param written words that were written since: the fields that they
 * belong to stay.
 */
export function applyNat(
  { frame, layout, key }: ParsedFrame,
  change: NatMapping,
  behaviour: Behaviour,
  written: readonly number[] = [],
): ParsedFrame {
  const { part, tuple, isOfError } = change;
  if (layout.l4 < 0)
    throw new Unsupported('the model does not translate an IP packet whose lengths are wrong');
  const after = key.slice();
  const write = (field: number, values: readonly number[]) => {
    if (!values.some((_, index) => written.includes(field + index))) after.set(values, field);
  };
  const [v4, v6] = part === 'src' ? [word.nwSrc, word.ipv6Src] : [word.nwDst, word.ipv6Dst];
  const address = tuple.family === 'ipv4' ? v4 : v6;
  write(address, tuple[part].address);
  const isWithPorts = !isOfError && hasPorts(tuple, behaviour);
  const hasIdentifier = tuple.protocol === ipProtocols.icmp || tuple.protocol === ipProtocols.icmp6;
  if (isWithPorts && !hasIdentifier) {
    write(word.tpSrc, [tuple.src.port]);
    write(word.tpDst, [tuple.dst.port]);
  }
  refuseExtensions(frame, layout, key, behaviour);
  if (isOfError) {
    const bytes = frame.slice();
    applyNatToError(bytes, layout, change, behaviour);
    const translated = key.slice();
    translated.set(tuple[part].address, address);
    return { frame: rewriteTranslated(bytes, layout, translated, after), layout, key: after };
  }
  const bytes = rewriteTranslated(frame, layout, key, after);
  if (!isWithPorts || !hasIdentifier || !hasOwnIdentifier(bytes, layout, tuple.protocol, behaviour))
    return { frame: bytes, layout, key: after };
  rewriteIdentifier(viewOf(bytes), layout.l4, tuple.dst.port);
  return { frame: bytes, layout, key: after };
}

/**
 * Messages with an identifier, whatever IP carries them (lib/packets.c,
 * packet_is_icmpv4_info_message; Linux net/netfilter/nf_nat_proto.c, icmp_manip_pkt,
 * icmpv6_manip_pkt).
 */
function hasOwnIdentifier(
  frame: Uint8Array,
  { l4 }: Layout,
  protocol: number,
  { datapath }: Behaviour,
): boolean {
  // Of what Linux knows beyond, it translates the identifiers of ICMP alone.
  const known = protocol === ipProtocols.icmp ? datapath : 'in ovs-vswitchd';
  return (
    frame.length >= l4 + headerLengths.icmp &&
    counterpart(protocol, frame[l4] ?? 0, known) !== undefined
  );
}

/** @throws Unpredictable where the checksum is taken with the wrong protocol. */
function refuseExtensions(
  frame: Uint8Array,
  { l3 }: Layout,
  key: FlowKey,
  { translatedChecksum }: Behaviour,
): void {
  if (
    translatedChecksum === 'updated' ||
    key[word.ethType] !== etherTypes.ipv6 ||
    frame[l3 + 6] === key[word.nwProto]
  )
    return;
  throw new Unpredictable(
    'the model does not translate IPv6 packets with extension headers, whose checksums Open ' +
      'vSwitch since 3.6 takes with the wrong protocol',
  );
}
