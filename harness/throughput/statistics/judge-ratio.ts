/** What a measured ratio says about a predicted one. */
import type { Estimate } from './paired-ratio.js';

export type RatioVerdict =
  | { readonly kind: 'conforms' }
  | { readonly kind: 'slower than the model allows'; readonly why: string }
  | { readonly kind: 'faster than the model allows'; readonly why: string }
  | { readonly kind: 'inconclusive: too noisy'; readonly why: string };

/** By how much a prediction may be wrong. */
export const allowance = 1.15;
/** An interval whose ends differ by more than this factor decides nothing. */
const widestFactor = 1.5;
/** A prediction that is wider than this one convicts nobody. */
const uselessFactor = 2;

/**
 * Ratios are of time or of processor time to that of the baseline: more is slower. Noise makes no
 * verdict: outside of what is allowed is only what is so with its whole interval.
 */
export function judgeRatio(
  measured: Estimate,
  predicted: Estimate,
  allowed = allowance,
): RatioVerdict {
  const factor = predicted.high / predicted.low;
  if (!(factor <= uselessFactor)) return noisy('the prediction', predicted);
  // One that says little convicts only what is out of it by as much as it is wide.
  const margin = isWide(predicted) ? allowed * factor : allowed;
  const floor = predicted.low / margin;
  const ceiling = predicted.high * margin;
  const range = `${text(floor)} to ${text(ceiling)}`;
  if (measured.low > ceiling)
    return {
      kind: 'slower than the model allows',
      why: `at least ${text(measured.low)} times the baseline, where ${range} are allowed`,
    };
  if (measured.high < floor)
    return {
      kind: 'faster than the model allows',
      why: `at most ${text(measured.high)} times the baseline, where ${range} are allowed`,
    };
  if (isWide(predicted)) return noisy('the prediction', predicted);
  return isWide(measured) ? noisy('what was measured', measured) : { kind: 'conforms' };
}

function isWide({ low, high }: Estimate): boolean {
  return !(high / low <= widestFactor);
}

function noisy(what: string, { low, high }: Estimate): RatioVerdict {
  return {
    kind: 'inconclusive: too noisy',
    why: `${what} lies between ${text(low)} and ${text(high)} times the baseline`,
  };
}

function text(ratio: number): string {
  return ratio.toFixed(2);
}
