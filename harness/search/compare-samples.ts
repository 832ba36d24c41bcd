/**
 * Whether a version is as fast as one end of a series, or as the other, from as few samples as that
 * takes: samples are taken until they differ from one of them by the Mann-Whitney test.
 */
import { mannWhitney, smallestProbability } from './mann-whitney.js';

/** Takes samples of a version: at least one, in the order of measuring. */
export type Sampler = () => Promise<readonly number[]>;

export interface SampleOptions {
  /** How often two versions that are alike may count as different, over all tests together. */
  readonly alpha: number;
  /** More are not taken. */
  readonly samplesMax: number;
}

/** Each test of the samples has its part of `alpha`, so that testing often does not find more. */
const testsMax = 6;

/** Numbers of samples that are tested: each is half as many again as the one before. */
export function sizesOf(first: number, samplesMax: number): readonly number[] {
  const sizes: number[] = [];
  for (let size = first; sizes.length < testsMax - 1 && size < samplesMax; )
    [sizes[sizes.length], size] = [size, Math.ceil(size * 1.5)];
  return [...sizes, Math.max(first, samplesMax)];
}

/** The fewest samples that can differ, from `other` of them. */
function fewest(alpha: number, other: number | 'as many', samplesMax: number): number {
  for (let size = 2; size < samplesMax; size++)
    if (smallestProbability(size, other === 'as many' ? size : other) < alpha) return size;
  return samplesMax;
}

async function upTo(
  size: number,
  have: readonly number[],
  sampler: Sampler,
): Promise<readonly number[]> {
  const samples = [...have];
  while (samples.length < size) samples.push(...(await sampler()));
  return samples;
}

export interface Ends {
  readonly good: readonly number[];
  readonly bad: readonly number[];
}

/** Samples of both ends that differ; undefined where `samplesMax` of each do not. */
export async function endsApart(
  good: Sampler,
  bad: Sampler,
  { alpha, samplesMax }: SampleOptions,
): Promise<Ends | undefined> {
  const part = alpha / testsMax;
  let ends: Ends = { good: [], bad: [] };
  for (const size of sizesOf(fewest(part, 'as many', samplesMax), samplesMax)) {
    ends = { good: await upTo(size, ends.good, good), bad: await upTo(size, ends.bad, bad) };
    if (mannWhitney(ends.good, ends.bad) < part) return ends;
  }
  return undefined;
}

/** Which end it is like; unlike both is `bad`: it has changed. */
export interface SampledAnswer {
  readonly kind: 'good' | 'bad' | 'open';
  readonly samples: readonly number[];
}

export async function likeWhichEnd(
  sampler: Sampler,
  { good, bad }: Ends,
  { alpha, samplesMax }: SampleOptions,
): Promise<SampledAnswer> {
  const part = alpha / testsMax;
  let samples: readonly number[] = [];
  for (const size of sizesOf(fewest(part, good.length, samplesMax), samplesMax)) {
    samples = await upTo(size, samples, sampler);
    const unlikeGood = mannWhitney(samples, good) < part;
    const unlikeBad = mannWhitney(samples, bad) < part;
    if (unlikeGood) return { kind: 'bad', samples };
    if (unlikeBad) return { kind: 'good', samples };
  }
  return { kind: 'open', samples };
}
