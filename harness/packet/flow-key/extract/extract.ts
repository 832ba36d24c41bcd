/**
 * What a switch reads from a frame: each protocol's fields go to their words of the flow key, and a
 * header that is not there in full leaves zeros, in itself and in all behind it (ovs-fields(7),
 * "Evolution of OpenFlow Fields"; Open vSwitch lib/flow.c).
 */
import type { ByteView } from '../../bytes/byte-view.js';
import { etherTypes } from '../../protocols/link/ethernet.js';
import { clearWords, isMpls, isTag, most, tagged, word, type FlowKey } from '../flow-key.js';
import { viewOf } from '../../bytes/header-layout.js';
import { extractArp } from './extract-arp.js';
import { extractIpv4 } from './extract-ipv4.js';
import { extractIpv6 } from './extract-ipv6.js';
import { extractMpls } from './extract-mpls.js';

/** Where the layers of a frame start, in bytes from its beginning; -1 where the frame has none. */
export interface Layout {
  /** The label stack. */
  readonly mpls: number;
  /** What the Ethernet header, tags and labels are in front of. */
  readonly l3: number;
  /** What IP carries, behind all options and extension headers; -1 too where they are broken. */
  readonly l4: number;
}

/**
 * What the switch calls the type of frames that have a length in its place (IEEE 802.3) and no type
 * behind it.
 */
export const noType = 0x05ff;
const firstType = 0x600;
const addressesLength = 12;

/**
 * Reads the packet fields of `frame` into `key`, overwriting what was there. @returns where the
 * layers start.
 * @param tagsMax tags that are read as such; the next one's type is the packet's
 *   (ovs-vswitchd.conf.db(5), other_config:vlan-limit).
 */
export function extract(frame: Uint8Array, key: FlowKey, tagsMax = 1): Layout {
  clearWords(key, word.ethSrc);
  if (frame.length < addressesLength + 2) return { mpls: -1, l3: -1, l4: -1 };
  const view = viewOf(frame);
  key[word.ethDst] = view.getUint16(0);
  key[word.ethDst + 1] = view.getUint32(2);
  key[word.ethSrc] = view.getUint16(6);
  key[word.ethSrc + 1] = view.getUint32(8);
  const typeAt = extractTags(view, key, Math.min(tagsMax, most.tags));
  let l3 = typeAt + 2;
  let type = view.getUint16(typeAt);
  if (type < firstType && isSnap(view, l3)) {
    type = view.getUint16(l3 + 6);
    l3 += 8;
  }
  if (type < firstType) type = noType;
  key[word.ethType] = type;
  if (isMpls(type)) return { mpls: l3, l3: extractMpls(view, l3, key), l4: -1 };
  if (type === etherTypes.arp || type === etherTypes.rarp) extractArp(view, l3, key);
  const l4 =
    type === etherTypes.ipv4
      ? extractIpv4(view, l3, key)
      : type === etherTypes.ipv6
        ? extractIpv6(view, l3, key)
        : -1;
  return { mpls: -1, l3, l4 };
}

/** Where the type stands behind them. */
function extractTags(view: ByteView, key: FlowKey, tagsMax: number): number {
  let at = addressesLength;
  for (
    let tag = 0;
    tag < tagsMax && isTag(view.getUint16(at)) && view.byteLength >= at + 6;
    tag++, at += 4
  ) {
    key[word.vlanTpid + tag] = view.getUint16(at);
    key[word.vlanTci + tag] = view.getUint16(at + 2) | tagged;
  }
  return at;
}

/** Whether an LLC and SNAP header follows that carries an EtherType (IEEE 802; RFC 1042). */
function isSnap(view: ByteView, place: number): boolean {
  return (
    view.byteLength >= place + 8 &&
    view.getUint32(place) === 0xaaaa0300 &&
    view.getUint16(place + 4) === 0
  );
}
