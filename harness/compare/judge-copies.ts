/** Whether packets arrive as often as they were sent. */
import { describeFrame } from '../packet/dissect/describe-frame.js';
import type { HostFrame } from '../domain/observation.js';
import type { BrokenPromise } from './broken-promise.js';
import { fingerprint, ipPacketOf } from './host-packets.js';

/** A packet arrives at a host as often as hosts have sent it, and what a switch makes once. */
export function judgeCopies(
  sent: readonly HostFrame[],
  arrivals: readonly HostFrame[],
): BrokenPromise | undefined {
  const sentCounts = countsOf(sent, () => 'sent');
  for (const { count, packet, first } of countsOf(arrivals, ({ host }) => host).values()) {
    const most = sentCounts.get(`sent ${packet}`)?.count ?? 1;
    if (count > most)
      return {
        expected: `each packet comes out at ${first.host} as often as it was sent: ${most} times`,
        actual: `${count} times came out there ${describeFrame(first.frame)}`,
      };
  }
  return undefined;
}

interface CountedPacket {
  readonly packet: string;
  readonly count: number;
  readonly first: HostFrame;
}

/** How often each packet was seen, by `PLACE fingerprint`. */
function countsOf(
  frames: readonly HostFrame[],
  placeOf: (frame: HostFrame) => string,
): ReadonlyMap<string, CountedPacket> {
  const counts = new Map<string, CountedPacket>();
  for (const frame of frames) {
    const ip = ipPacketOf(frame);
    if (ip === undefined) continue;
    const packet = fingerprint(ip);
    const key = `${placeOf(frame)} ${packet}`;
    const { count = 0, first = frame } = counts.get(key) ?? {};
    counts.set(key, { packet, count: count + 1, first });
  }
  return counts;
}
