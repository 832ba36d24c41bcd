/** The packet that fragments are together. */
import { internetChecksum } from '../../../packet/bytes/checksum.js';
import { word } from '../../../packet/flow-key/flow-key.js';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import { ipv6Length } from '../../../packet/protocols/ip/ipv6.js';
import type { Behaviour } from '../../behaviour.js';
import type { Family } from '../tuple.js';
import { limits } from './fragment-limits.js';
import { type HeldFragment, fragmentHeader } from './read-fragment.js';

/**
 * The first fragment's frame with what the others carry behind it; in IPv6 extension headers stay,
 * but no header announces them. Undefined where that is more than fits.
 */
export function reassembledFrame(
  fragments: readonly HeldFragment[],
  family: Family,
  { reassembledSize }: Behaviour,
): Uint8Array | undefined {
  const [first, ...others] = fragments.map(({ packet }) => packet);
  if (first === undefined) return undefined;
  const parts = [
    first.frame.subarray(0, first.frame.length - first.padding),
    ...others.map(({ frame, layout, padding }) =>
      frame.subarray(layout.l4, frame.length - padding),
    ),
  ];
  const frame = Uint8Array.from(Buffer.concat(parts));
  const { l3 } = first.layout;
  const size =
    reassembledSize === 'with Ethernet'
      ? frame.length
      : frame.length - l3 - (family === 'ipv4' ? 0 : ipv6Length + 8);
  if (size > limits.packet) return undefined;
  const view = viewOf(frame);
  if (family === 'ipv6') {
    view.setUint16(fragmentHeader(view, l3) + 2, 0);
    view.setUint16(l3 + 4, frame.length - l3 - ipv6Length);
    view.setUint8(l3 + 6, first.baseKey[word.nwProto] ?? 0);
    return frame;
  }
  view.setUint16(l3 + 2, frame.length - l3);
  view.setUint16(l3 + 6, view.getUint16(l3 + 6) & ~0x2000);
  view.setUint16(l3 + 10, 0);
  view.setUint16(l3 + 10, internetChecksum(frame.subarray(l3, first.layout.l4)));
  return frame;
}
