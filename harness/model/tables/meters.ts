/**
 * Meters of the userspace datapath: buckets that fill with virtual time and drop what they cannot
 * pay for (OpenFlow 1.3, section 5.7; Open vSwitch lib/dpif-netdev.c, dp_netdev_run_meter).
 */
import { InputError } from '../../base/errors/errors.js';
import type { Meter } from '../../openflow/meters.js';

export interface MeterState {
  readonly meter: Meter;
  /** What each band can pay for: thousandths of packets, or bits. */
  buckets: readonly number[];
  /** Virtual time at which they were filled. */
  filledMs: number;
}

/**
 * @throws InputError naming `bridge` for bands that this datapath does not have (lib/dpif-netdev.c,
 *   dpif_netdev_meter_get_features; the switch says OFPMMFC_BAD_BAND, OFPMMFC_OUT_OF_BANDS).
 */
export function plannedMeters(
  meters: readonly Meter[],
  bridge: string,
): Map<Meter['id'], MeterState> {
  for (const { id, bands } of meters) {
    if (bands.some(({ type }) => type !== 'drop'))
      throw new InputError(
        `meter ${id} of ${bridge}: the bands of a userspace datapath drop, and do nothing else`,
      );
    if (bands.length > mostBands)
      throw new InputError(
        `meter ${id} of ${bridge}: a meter of a userspace datapath has at most ${mostBands} bands`,
      );
  }
  return new Map(meters.map((meter) => [meter.id, fullMeter(meter, 0)]));
}

const mostBands = 8;

export function fullMeter(meter: Meter, nowMs: number): MeterState {
  return { meter, buckets: capacities(meter), filledMs: nowMs };
}

function capacities({ bands }: Meter): readonly number[] {
  return bands.map(({ rate, burstSize }) => (burstSize === 0 ? rate : burstSize) * 1000);
}

/**
 * Whether a packet of `bytes` passes: each band that can pays for it, and one that cannot drops it.
 */
export function meterPasses(state: MeterState, bytes: number, nowMs: number): boolean {
  const { meter } = state;
  const price = meter.unit === 'pktps' ? 1000 : bytes * 8;
  const most = capacities(meter);
  const filled = state.buckets.map((bucket, index) =>
    Math.min(most[index] ?? 0, bucket + (nowMs - state.filledMs) * (meter.bands[index]?.rate ?? 0)),
  );
  state.filledMs = nowMs;
  state.buckets = filled.map((bucket) => (bucket >= price ? bucket - price : bucket));
  return filled.every((bucket) => bucket >= price);
}
