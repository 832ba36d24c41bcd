/**
 * Writes what the pipeline changed in a flow key back into the frame's bytes, checksums included.
 * As in Open vSwitch, actions work on the key, and the frame follows when the packet leaves (or
 * enters the connection tracker).
 */
import { Unpredictable } from '../../../base/errors/errors.js';
import type { ByteView } from '../../bytes/byte-view.js';
import { etherTypes } from '../../protocols/link/ethernet.js';
import type { Layout } from '../extract/extract.js';
import { extractIpv4 } from '../extract/extract-ipv4.js';
import { extractIpv6 } from '../extract/extract-ipv6.js';
import { countLabels, countTags, emptyKey, isIp, isMpls, word, type FlowKey } from '../flow-key.js';
import { copyBytes, viewOf } from '../../bytes/header-layout.js';
import { ipProtocols } from '../../protocols/ip/ipv4.js';
import { ipv6Length } from '../../protocols/ip/ipv6.js';
import { rewriteArp } from './rewrite-arp.js';
import { changed } from './replace-bytes.js';
import { rewriteIpv4 } from './rewrite-ipv4.js';
import { rewriteIpv6 } from './rewrite-ipv6.js';
import { labelsGrow, rewriteLabels } from './rewrite-labels.js';
import { changesExtensions, rewriteNeighbour } from './rewrite-neighbour.js';
import { rewriteIcmp, rewritePorts } from './rewrite-transport.js';
import { rewriteTags } from './rewrite-tags.js';

/**
 * `frame` itself where nothing differs, or a copy in which every packet field that differs between
 * `before` (the key as extracted) and `after` has the value of `after`; what Open vSwitch does not
 * write stays as it is (lib/odp-util.c, commit_odp_actions).
 * @throws Unpredictable where it is nondeterministic what Open vSwitch writes.
 */
export function rewrite(
  frame: Uint8Array,
  layout: Layout,
  before: FlowKey,
  after: FlowKey,
): Uint8Array {
  if (!changed(before, after, word.ethSrc, before.length - word.ethSrc)) return frame;
  const bytes = copyBytes(frame);
  const view = viewOf(bytes);
  write48(view, 0, after, word.ethDst);
  write48(view, 6, after, word.ethSrc);
  if (before[word.ethType] === etherTypes.arp && layout.l3 >= 0)
    rewriteArp(view, layout.l3, before, after);
  if (isOtherIp(before, after))
    throw new Unpredictable(
      'the model does not know how much of IPv6 is written into a packet that is taken for ' +
        'IPv4 by the type that a label left, or the other way round: what flows on the way have ' +
        'read',
    );
  // Without a protocol, and so where the header is broken, nothing of IP is written.
  if (
    isIp(before[word.ethType] ?? 0) &&
    (layout.l4 >= 0 || before[word.nwProto] !== 0) &&
    after[word.nwProto] !== 0
  )
    rewriteIp(view, layout, before, after);
  const labelled =
    isMpls(before[word.ethType] ?? 0) || isMpls(after[word.ethType] ?? 0)
      ? rewriteLabels(bytes, layout, before, after)
      : bytes;
  if (isUncovered(before, after)) {
    if (isBeyondParsedLabels(frame, layout, before))
      throw new Unpredictable(
        'the model does not know what is written into IP behind labels that stand behind an ' +
          'LLC header, and that was sent to a controller: Open vSwitch takes that header for a ' +
          'label',
      );
    rewriteUncovered(
      labelled,
      { ...layout, l3: layout.l3 + labelsGrow(layout, before, after) },
      after,
    );
  }
  return changed(before, after, word.vlanTci, 2) || changed(before, after, word.vlanTpid, 2)
    ? rewriteTags(labelled, before, after)
    : labelled;
}

/**
 * The same for what connection tracking writes: addresses and ports alone, and of every protocol, 0
 * as well (lib/conntrack.c, nat_packet). The packet is IP, and whole.
 */
export function rewriteTranslated(
  frame: Uint8Array,
  layout: Layout,
  before: FlowKey,
  after: FlowKey,
): Uint8Array {
  const bytes = copyBytes(frame);
  rewriteIp(viewOf(bytes), layout, before, after);
  return bytes;
}

/** A label was popped, and the type that came with it is not that of what is behind. */
function isOtherIp(before: FlowKey, after: FlowKey): boolean {
  const [was, is] = [before[word.ethType] ?? 0, after[word.ethType] ?? 0];
  return isIp(was) && isIp(is) && was !== is && after[word.nwProto] !== 0;
}

/**
 * Whether IP comes out from behind labels with fields that are known: those that it had before the
 * labels were pushed.
 */
function isUncovered(before: FlowKey, after: FlowKey): boolean {
  return (
    isMpls(before[word.ethType] ?? 0) &&
    isIp(after[word.ethType] ?? 0) &&
    changed(before, after, word.nwSrc, before.length - word.nwSrc)
  );
}

/**
 * What stands where the first label should is another one: behind an LLC header, once the frame was
 * parsed again with the type of labels in the place of its length.
 */
function isBeyondParsedLabels(frame: Uint8Array, { mpls }: Layout, before: FlowKey): boolean {
  return mpls >= 0 && viewOf(frame).getUint32(mpls) !== before[word.mplsLse];
}

/**
 * @param layout as Open vSwitch counts it: it does not look for IP where the new type would have
 *   it, as behind an LLC header that the type took the length of.
 */
function rewriteUncovered(bytes: Uint8Array, { l3, l4: counted }: Layout, after: FlowKey): void {
  const found = emptyKey();
  const view = viewOf(bytes);
  found[word.ethType] = after[word.ethType] ?? 0;
  const l4 =
    found[word.ethType] === etherTypes.ipv4
      ? extractIpv4(view, l3, found)
      : extractIpv6(view, l3, found);
  if (l4 >= 0 && after[word.nwProto] !== 0)
    rewriteIp(view, { mpls: -1, l3, l4: counted < 0 ? -1 : l4 }, found, after);
}

/**
 * Where the layers are in the frame that `rewrite` gives: Open vSwitch counts what it pushes and
 * pops, and does not parse the frame again.
 */
export function movedLayout(layout: Layout, before: FlowKey, after: FlowKey): Layout {
  const { mpls, l3, l4 } = layout;
  const tags = 4 * (countTags(after) - countTags(before));
  const labels = labelsGrow(layout, before, after);
  const stack = labels > 0 && mpls < 0 ? l3 : labels < 0 && countLabels(after) === 0 ? -1 : mpls;
  return {
    mpls: stack < 0 ? stack : stack + tags,
    l3: l3 + tags + labels,
    l4: l4 < 0 ? l4 : l4 + tags + labels,
  };
}

/**
 * Where the packet went to a controller while it had a label, or two tags, Open vSwitch has lost
 * what IP carries (`l4` is -1): of that it writes nothing, as if it began where the frame ends.
 */
function rewriteIp(view: ByteView, { l3, l4 }: Layout, before: FlowKey, after: FlowKey): void {
  const isIpv4 = before[word.ethType] === etherTypes.ipv4;
  const protocol = after[word.nwProto];
  const isLost = l4 < 0;
  const start = isLost ? view.byteLength : l4;
  const end = isLost
    ? view.byteLength
    : isIpv4
      ? l3 + view.getUint16(l3 + 2)
      : l3 + ipv6Length + view.getUint16(l3 + 4);
  if (isIpv4) rewriteIpv4(view, l3, start, end, before, after);
  else rewriteIpv6(view, l3, start, end, before, after);
  if (!isIpv4 && protocol === ipProtocols.icmp6) {
    if (isLost && changesExtensions(before, after))
      throw new Unpredictable(
        'the model does not write nd_reserved or nd_options_type into a packet that was ' +
          'sent to a controller while it had a label or two tags: Open vSwitch ends itself ' +
          'over it',
      );
    rewriteNeighbour(view, l3, start, end, before, after);
  }
  if (!changed(before, after, word.tpSrc) && !changed(before, after, word.tpDst)) return;
  if (protocol === (isIpv4 ? ipProtocols.icmp : ipProtocols.icmp6))
    rewriteIcmp(view, start, end, after);
  else rewritePorts(view, start, end, before, after);
}

function write48(view: ByteView, place: number, key: FlowKey, field: number): void {
  view.setUint16(place, key[field] ?? 0);
  view.setUint32(place + 2, key[field + 1] ?? 0);
}
