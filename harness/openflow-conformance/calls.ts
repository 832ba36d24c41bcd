/** What a case sends: one packet, or a stream in virtual time. */
import { randomFor } from '../base/random.js';
import type { SwitchCall } from '../domain/switching.js';
import type { Test } from './corpus.js';
import { isStream } from './expectation-failures.js';
import { packetsOf } from './packets-of.js';
import { node } from './program.js';

/**
 * Packets of a stream that are measured at most: what comes out a second does not depend on how
 * long it lasts,
 */
const maxMeasuredPackets = 2_100;
/**
 * but for the first second, which a meter's bucket holds: it comes before what is measured of a
 * stream that is cut.
 */
const burstMs = 1_000;
/** A stream comes slice by slice, each after its time. */
const slices = { unmeasured: 20, measured: 60 } as const;

export interface Calls {
  readonly calls: readonly SwitchCall[];
  /** Of them, those that come before what is measured. */
  readonly unmeasured: number;
  /** Of virtual time, in which the measured ones come. */
  readonly seconds: number;
}

export function callsOf(test: Test): Calls {
  const random = randomFor(0, 'ingress');
  const receive = (frames: readonly Uint8Array[]) =>
    ({ kind: 'receive', node, port: 'p1', frames }) as const;
  if (!isStream(test))
    return { calls: [receive([packetsOf(test.ingress, random)()])], unmeasured: 0, seconds: 0 };
  const { data, pktps: rate, duration_time: duration } = test.ingress.packets;
  const next = packetsOf(data, random);
  const part = (count: number, ms: number) =>
    Array.from({ length: count }, (_, slice) => {
      const due = (until: number) => Math.round((until * ms * rate) / 1000);
      return [
        { kind: 'advance', node, ms } as const,
        receive(Array.from({ length: due(slice + 1) - due(slice) }, next)),
      ];
    }).flat();
  const isCut = maxMeasuredPackets < duration * rate;
  const before = isCut ? part(slices.unmeasured, burstMs / slices.unmeasured) : [];
  const ms = Math.max(
    1,
    Math.floor(((isCut ? maxMeasuredPackets / rate : duration) * 1000) / slices.measured),
  );
  return {
    calls: [...before, ...part(slices.measured, ms)],
    unmeasured: before.length,
    seconds: (slices.measured * ms) / 1000,
  };
}
