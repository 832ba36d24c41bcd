/** What a tracker takes an IP packet for, in a line. */
import { extract } from '../../packet/flow-key/extract/extract.js';
import { keyWords } from '../../packet/flow-key/flow-key.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { behaviourOf, newest } from '../behaviour.js';
import { trackedPacket } from '../conntrack/protocols/tracked-packet.js';
import { printTuple } from '../conntrack/tuple.js';

/** What the tracker takes the packet for, and the direction it goes in. */
export function describeTracked(packet: Uint8Array, version = newest): string {
  const frame = encodeEthernet(
    {
      dst: '02:00:00:00:00:02',
      src: '02:00:00:00:00:01',
      etherType: (packet[0] ?? 0) >>> 4 === 4 ? etherTypes.ipv4 : etherTypes.ipv6,
    },
    packet,
  );
  const key = new Uint32Array(keyWords);
  const tracked = trackedPacket(frame, extract(frame, key), key, 7, behaviourOf(version));
  return tracked === undefined ? 'none' : `${tracked.kind} ${printTuple(tracked.tuple)}`;
}
