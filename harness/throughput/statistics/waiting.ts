/** What part of the clock a path waits: nobody on it works, and there is always more to send. */
import type { Estimate } from './paired-ratio.js';
import { timeOfUnit, type Stages } from './time-of-unit.js';

/** A unit of one trial. */
export interface Occupied {
  /** What each had of processors. */
  readonly stages: Stages;
  /** Of the clock. */
  readonly unitNs: number;
  /** Of what switches had: passes of main loops beyond those that such a unit needs. */
  readonly inVainNs: number;
}

/**
 * A unit takes as long as its slowest stage works, or all of them on all processors; the rest of it
 * is waited. A switch that waits for packets goes round its main loop meanwhile: that is no work.
 */
export function waitingShare({ stages, unitNs, inVainNs }: Occupied, processors: number): number {
  const switches = stages.switches - inVainNs;
  return Math.max(0, 1 - timeOfUnit({ ...stages, switches }, processors) / unitNs);
}

export type WaitingVerdict =
  | { readonly kind: 'conforms' }
  | { readonly kind: 'the path waits'; readonly why: string }
  | { readonly kind: 'inconclusive: too noisy'; readonly why: string };

/** By how much more of the clock than reference paths a path may wait. */
export const waitingAllowance = 0.05;

/** Shares of the clock in the turns, and `clean` in the calibration, path by path. */
export interface Waiting {
  readonly measured: Estimate;
  readonly clean: Estimate;
}

/**
 * By how much the baseline waits in the same turns beyond what it may, the path may as well: that
 * is the machine.
 */
export function judgeWaiting(path: Waiting, baseline: Waiting): WaitingVerdict {
  const limitOf = ({ clean }: Waiting) => clean.high + waitingAllowance;
  const limit = limitOf(path);
  const disturbed = Math.max(0, baseline.measured.high - limitOf(baseline));
  if (path.measured.high <= limit) return { kind: 'conforms' };
  if (path.measured.low > limit + disturbed)
    return {
      kind: 'the path waits',
      why:
        `for at least ${percent(path.measured.low)} of the time, ` +
        `where ${percent(limit)} is allowed`,
    };
  return {
    kind: 'inconclusive: too noisy',
    why:
      `it waits for ${percent(path.measured.low)} to ${percent(path.measured.high)} of the time, ` +
      `where ${percent(limit)} is allowed, and the baseline for up to ` +
      percent(baseline.measured.high),
  };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
