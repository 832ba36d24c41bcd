/** Fragments of IPv6, which Open vSwitch composes without their header. */
import { concatBytes, viewOf } from '../bytes/header-layout.js';
import { countTags, fragment, word, type FlowKey } from '../flow-key/flow-key.js';
import { etherTypes } from '../protocols/link/ethernet.js';
import { extensionHeaders } from '../protocols/ip/ipv6-extension.js';
import { ipv6Length } from '../protocols/ip/ipv6.js';

const [ethernetLength, tagLength, headerLength] = [14, 4, 8];
/** Where a later fragment stands, in units of eight bytes. */
const laterOffset = 100;

/** The frame with a fragment header where the key is of a fragment (RFC 8200, section 4.5). */
export function withIpv6Fragment(frame: Uint8Array, key: FlowKey): Uint8Array {
  const kind = key[word.nwFrag] ?? 0;
  if (key[word.ethType] !== etherTypes.ipv6 || (kind & fragment.any) === 0) return frame;
  const start = ethernetLength + tagLength * countTags(key);
  const behind = start + ipv6Length;
  const header = new Uint8Array(headerLength);
  const moreFollow = 1;
  header[0] = key[word.nwProto] ?? 0;
  viewOf(header).setUint16(
    2,
    (((kind & fragment.later) === 0 ? 0 : laterOffset) << 3) | moreFollow,
  );
  const whole = concatBytes(frame.subarray(0, behind), header, frame.subarray(behind));
  const view = viewOf(whole);
  view.setUint16(start + 4, view.getUint16(start + 4) + headerLength);
  view.setUint8(start + 6, extensionHeaders.fragment);
  return whole;
}
