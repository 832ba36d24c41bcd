/**
 * What IP carries, as Linux's tracker reads it: it takes a packet for what its header says, as far
 * as there are bytes, where Open vSwitch wants all lengths to be right first (Linux
 * net/netfilter/nf_conntrack_core.c, ipv4_get_l4proto, ipv6_get_l4proto).
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { ByteView } from '../../../packet/bytes/byte-view.js';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import type { Layout } from '../../../packet/flow-key/extract/extract.js';
import { word, type FlowKey } from '../../../packet/flow-key/flow-key.js';
import { extensionHeaders, isExtension } from '../../../packet/protocols/ip/ipv6-extension.js';
import { ipv6Length } from '../../../packet/protocols/ip/ipv6.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import type { Address } from '../tuple.js';
import type { Transport } from './transport.js';

const ipv4Length = 20;
/** Where the length of IPv4 ends, and that of IPv6: it is read however short the packet is. */
const lengthsEnd = { ipv4: 4, ipv6: 6 } as const;
/** Of a next header: nothing follows (RFC 8200, section 4.7). */
const nothingFollows = 59;

/** Undefined where there is no header of IP, or it leads behind the end of the packet. */
export function kernelTransportOf(
  frame: Uint8Array,
  layout: Layout,
  key: FlowKey,
  zone: number,
): Transport | undefined {
  const type = key[word.ethType];
  if (layout.l3 < 0 || (type !== etherTypes.ipv4 && type !== etherTypes.ipv6)) return undefined;
  const view = viewOf(frame);
  const end = frame.length - kernelPadding(frame, layout, key);
  const found =
    type === etherTypes.ipv4
      ? readKernelIpv4(view, layout, end)
      : readKernelIpv6(view, layout, end);
  return found && { ...found, zone, frame, view, end };
}

/**
 * Bytes behind the end of IP, which the tracker cuts off (nf_conntrack_ovs.c,
 * nf_ct_skb_network_trim). @throws Unsupported where the length itself is cut off.
 */
export function kernelPadding(frame: Uint8Array, { l3 }: Layout, key: FlowKey): number {
  const family = key[word.ethType] === etherTypes.ipv4 ? 'ipv4' : 'ipv6';
  if (frame.length < l3 + lengthsEnd[family])
    throw new Unsupported(
      'the model does not know what Linux takes for the length of an IP packet that ends before it',
    );
  const view = viewOf(frame);
  const length = family === 'ipv4' ? view.getUint16(l3 + 2) : ipv6Length + view.getUint16(l3 + 4);
  return Math.max(0, frame.length - l3 - length);
}

/**
 * Whether what stands first behind IPv6 are options for each hop that are not whole, or of a packet
 * longer than any here: the tracker drops it (net/netfilter/utils.c, nf_ip6_check_hbh_len).
 * @throws Unsupported where the header ends before it says what is next.
 */
export function hasBrokenHopByHop(frame: Uint8Array, { l3 }: Layout, key: FlowKey): boolean {
  if (l3 < 0 || key[word.ethType] !== etherTypes.ipv6) return false;
  const view = viewOf(frame);
  if (frame.length <= l3 + nextHeader)
    throw new Unsupported(
      'the model does not know what Linux takes for a header that is not there',
    );
  if (view.getUint8(l3 + nextHeader) !== extensionHeaders.hopByHop) return false;
  const begin = l3 + ipv6Length;
  if (frame.length < begin + 8) return true;
  const end = begin + (view.getUint8(begin + 1) + 1) * 8;
  if (frame.length < end) return true;
  for (let at = begin + 2; at < end; ) {
    const type = view.getUint8(at);
    if (type === hopOptions.pad1) {
      at++;
      continue;
    }
    if (at + 2 > end) return true;
    const next = at + 2 + view.getUint8(at + 1);
    if (next > end || type === hopOptions.jumbo) return true;
    at = next;
  }
  return false;
}

/** Where IPv6 says what is next (RFC 8200, section 3). */
const nextHeader = 6;
/** RFC 8200, section 4.2, and RFC 2675, section 2. */
const hopOptions = { pad1: 0, jumbo: 0xc2 } as const;

function refuseFragment(): never {
  throw new Unsupported('the model does not know what Linux makes of fragments of wrong lengths');
}

type Found = Pick<Transport, 'family' | 'src' | 'dst' | 'protocol' | 'at'>;

function readKernelIpv4(view: ByteView, { l3, l4 }: Layout, end: number): Found | undefined {
  if (end < l3 + ipv4Length) return undefined;
  const flagsAndOffset = view.getUint16(l3 + 6);
  if (l4 < 0 && (flagsAndOffset & 0x3fff) !== 0) refuseFragment();
  const at = l3 + (view.getUint8(l3) & 15) * 4;
  if (at > end) return undefined;
  return {
    family: 'ipv4',
    src: [view.getUint32(l3 + 12)],
    dst: [view.getUint32(l3 + 16)],
    protocol: view.getUint8(l3 + 9),
    at,
  };
}

function readKernelIpv6(view: ByteView, { l3, l4 }: Layout, end: number): Found | undefined {
  const first = l3 + ipv6Length;
  if (end < first) return undefined;
  const upper = skipExtensions(
    l4 < 0 ? 'are refused' : 'are none',
    view,
    first,
    end,
    view.getUint8(l3 + 6),
  );
  const address = (at: number): Address =>
    [0, 4, 8, 12].map((offset) => view.getUint32(at + offset));
  return upper && { family: 'ipv6', src: address(l3 + 8), dst: address(l3 + 24), ...upper };
}

/** To what is behind them, though that may begin behind the end (ipv6_skip_exthdr). */
function skipExtensions(
  fragments: 'are refused' | 'are none',
  view: ByteView,
  start: number,
  end: number,
  first: number,
): { readonly protocol: number; readonly at: number } | undefined {
  let [at, protocol] = [start, first];
  while (isExtension(protocol)) {
    if (end < at + (protocol === extensionHeaders.fragment ? 8 : 2)) return undefined;
    const next = view.getUint8(at);
    if (protocol === extensionHeaders.fragment) {
      if (fragments === 'are refused') refuseFragment();
      if ((view.getUint16(at + 2) & 0xfff8) !== 0) return undefined;
      at += 8;
    } else if (protocol === extensionHeaders.authentication) at += (view.getUint8(at + 1) + 2) * 4;
    else at += (view.getUint8(at + 1) + 1) * 8;
    protocol = next;
  }
  return protocol === nothingFollows ? undefined : { protocol, at };
}
