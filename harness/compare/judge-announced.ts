/** Whether what a gateway is to make known by gratuitous ARP, and nothing else, left its node. */
import type { Intent } from '../domain/intent.js';
import type { FrameEvent, Observation } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import { viewOf } from '../packet/bytes/header-layout.js';
import { arpOperations, decodeArp } from '../packet/protocols/link/arp.js';
import { etherTypes } from '../packet/protocols/link/ethernet.js';
import type { BrokenPromise } from './broken-promise.js';

const headerBytes = 14;
const broadcast = 'ff:ff:ff:ff:ff:ff';

export function judgeAnnounced(
  { port, what }: Extract<Intent, { kind: 'announced' }>,
  { from }: Stimulus,
  { frames }: Observation,
): BrokenPromise | undefined {
  const said = frames
    .filter(({ node, direction }) => node === from && direction === 'out')
    .filter((frame) => frame.port === port)
    .map(announcementIn)
    .toSorted();
  const wanted = what.toSorted();
  return said.join('\n') === wanted.join('\n')
    ? undefined
    : {
        expected: `out of ${port} of ${from}: ${wanted.join('; ') || 'nothing'}`,
        actual: said.join('; ') || 'nothing',
      };
}

/** `172.30.128.1 is at 0a:…` (RFC 5227, section 1.1); for RARP the MAC address alone. */
function announcementIn({ frame }: FrameEvent): string {
  const [to, by] = [formatMac(frame, 0), formatMac(frame, 6)];
  const type = frame.length < headerBytes ? 0 : viewOf(frame).getUint16(12);
  const arp = decodeArp(frame.subarray(headerBytes));
  const isWhole = to === broadcast && arp?.sha === by;
  if (isWhole && type === rarp) return by;
  const isGratuitous = arp?.op === arpOperations.request && arp.spa === arp.tpa;
  return isWhole && type === etherTypes.arp && isGratuitous
    ? `${arp.spa} is at ${by}`
    : `a frame of EtherType 0x${type.toString(16)} from ${by}`;
}

/** RFC 903 */
const rarp = 0x8035;
