/** Whether a step of a bisection is good or bad: like one end, or not. */
import { InputError, Unavailable, unknownName } from '../../base/errors/errors.js';
import { canonicalJson } from '../../base/files/digest.js';
import type { HistoryRow } from '../../history/history-row.js';
import type { Answer } from '../../search/bisect.js';
import { endsApart, likeWhichEnd } from '../../search/compare-samples.js';
import type { World, WorldRunner } from './bisect-world.js';
import type { Context } from '../context.js';
import { whyNotAsked } from '../runs/play-vector.js';

export interface Judge {
  readonly isBad: (world: World) => Promise<Answer>;
  /** What was seen at both ends, in words. */
  readonly good: string;
  readonly bad: string;
}

export interface Ends {
  readonly good: World;
  readonly bad: World;
}

export const firstChanges = [
  'verdict',
  'counters',
  'trace',
  'convergence',
  'work',
  'throughput',
] as const;

/**
 * Runs both ends: what differs from the good one is bad.
 * @throws InputError where the two are alike, Unavailable where one of them cannot be run.
 */
export async function judgeFor(
  context: Context,
  worlds: WorldRunner,
  vector: string,
  options: { readonly firstChange: string; readonly confidence: string },
  ends: Ends,
): Promise<Judge> {
  const change = firstChangeNamed(options.firstChange);
  if (change === 'throughput')
    return await judgeSamples(context, worlds, ends, Number(options.confidence));
  const seen = async (world: World) => {
    const { row } = await worlds.play(world, {
      vector,
      ...(change === 'work' ? { work: 'counted' } : {}),
    });
    return { value: valueOf(change, row), words: wordsOf(change, row) };
  };
  const [good, bad] = [await seen(ends.good), await seen(ends.bad)];
  if (good.value === bad.value)
    throw new InputError(
      `${vector} is alike at both ends, as to its ${change}: ${good.words}; --first-change has ` +
        firstChanges.join(', '),
    );
  const answers = new Map([
    [canonicalJson(ends.good), 'good' as const],
    [canonicalJson(ends.bad), 'bad' as const],
  ]);
  return {
    good: good.words,
    bad: bad.words,
    // It is deterministic: nothing is asked twice.
    isBad: async (world) => {
      const key = canonicalJson(world);
      const known = answers.get(key);
      if (known !== undefined) return { kind: known };
      try {
        const kind = (await seen(world)).value === good.value ? 'good' : 'bad';
        answers.set(key, kind);
        return { kind };
      } catch (error) {
        return { kind: 'skip', why: whyNotAsked(error) };
      }
    },
  };
}

export type FirstChange = (typeof firstChanges)[number];

/** @throws InputError that names those that there are. */
export function firstChangeNamed(name: string): FirstChange {
  const change = firstChanges.find((one) => one === name);
  if (change === undefined) throw unknownName('--first-change', name, firstChanges);
  return change;
}

export type Comparable = Exclude<(typeof firstChanges)[number], 'throughput'>;

export function valueOf(change: Comparable, row: HistoryRow): string {
  switch (change) {
    case 'verdict':
      return row.verdict;
    case 'counters':
      return canonicalJson(row.counters);
    case 'work':
      return canonicalJson(row.work);
    case 'trace':
      return row.trace;
    case 'convergence':
      return String(row.converged_us);
  }
}

function wordsOf(change: Comparable, row: HistoryRow): string {
  switch (change) {
    case 'verdict':
      return `${row.verdict}${row.summary && `, ${row.place}: ${row.summary}`}`;
    case 'counters':
      return `${sumOf(Object.values(row.counters))} packets counted`;
    case 'work':
      return `${sumOf(Object.values(row.work))} of exact work`;
    case 'trace':
      return `trace ${row.trace.slice(0, 12)}`;
    case 'convergence':
      return `${row.converged_us ?? 'no'} µs of virtual time`;
  }
}

/** More are not taken: then a step is skipped. */
const samplesMax = 96;

/** Samples only until they differ from those of one end, with the confidence asked for. */
async function judgeSamples(
  { say }: Context,
  worlds: WorldRunner,
  ends: Ends,
  confidence: number,
): Promise<Judge> {
  const options = { alpha: 1 - confidenceOf(confidence), samplesMax };
  const sampler = (world: World) => () => worlds.sample(world);
  const apart = await endsApart(sampler(ends.good), sampler(ends.bad), options);
  if (apart === undefined)
    throw new Unavailable(
      `${samplesMax} samples of either end do not differ with a confidence of ${confidence}`,
    );
  const describe = (samples: readonly number[]) =>
    `median ${medianOf(samples)} of ${samples.length} samples`;
  return {
    good: describe(apart.good),
    bad: describe(apart.bad),
    isBad: async (world) => {
      try {
        const { kind, samples } = await likeWhichEnd(sampler(world), apart, options);
        say(describe(samples));
        return kind === 'open'
          ? { kind: 'skip', why: `${samples.length} samples are like either end` }
          : { kind };
      } catch (error) {
        return { kind: 'skip', why: whyNotAsked(error) };
      }
    },
  };
}

/** @throws InputError for what is none. */
export function confidenceOf(confidence: number): number {
  if (confidence > 0.5 && confidence < 1) return confidence;
  throw new InputError('--confidence: expected a number above 0.5 and below 1, such as 0.999');
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function medianOf(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? NaN;
}
