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

/** What the datapaths count by themselves, whatever the model has of it. */
const countedKinds = ['lookups', 'recirculations', 'upcalls'] as const;

export const firstChanges = [
  'verdict',
  'counters',
  'trace',
  'convergence',
  ...countedKinds,
  'throughput',
] as const;

export function isWork(name: string): name is (typeof countedKinds)[number] {
  return countedKinds.some((kind) => kind === name);
}

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
      ...(isWork(change) ? { work: 'counted' } : {}),
    });
    return { value: valueOf(change, row), row };
  };
  const [good, bad] = [await seen(ends.good), await seen(ends.bad)];
  if (good.value === bad.value)
    throw new InputError(
      `${vector} is alike at both ends, as to its ${change}: ` +
        `${wordsOf(change, good.row, bad.row)}; --first-change has ${firstChanges.join(', ')}`,
    );
  const answers = new Map([
    [canonicalJson(ends.good), 'good' as const],
    [canonicalJson(ends.bad), 'bad' as const],
  ]);
  return {
    good: wordsOf(change, good.row, bad.row),
    bad: wordsOf(change, bad.row, good.row),
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
  if (name === 'work')
    throw new InputError(
      `--first-change work: expected one kind of it, as the switches count it: ` +
        `${countedKinds.join(', ')}; what flows make of packets is in counters and trace`,
    );
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
    case 'trace':
      return row.trace;
    case 'convergence':
      return String(row.converged_us);
    default:
      return String(workOf(change, row));
  }
}

/** As the switches counted it. @throws Unavailable where they do not. */
export function workOf(kind: (typeof countedKinds)[number], { work }: HistoryRow): number {
  const count = work[`work ${kind}`];
  if (work['work upcalls'] === undefined || count === undefined)
    throw new Unavailable(`the datapaths of these switches do not count their ${kind}`, [
      'ask for something else: --first-change counters, trace',
    ]);
  return count;
}

/** @param other the other end: of many numbers that one is named which differs first. */
function wordsOf(change: Comparable, row: HistoryRow, other: HistoryRow): string {
  switch (change) {
    case 'verdict':
      return `${row.verdict}${row.summary && `, ${row.place}: ${row.summary}`}`;
    case 'counters':
      return countersInWords(row, other);
    case 'trace':
      return `trace ${row.trace.slice(0, 12)}`;
    case 'convergence':
      return `${row.converged_us ?? 'no'} µs of virtual time`;
    default:
      return `${workOf(change, row)} ${change} of the datapaths`;
  }
}

function countersInWords({ counters }: HistoryRow, other: HistoryRow): string {
  const sum = `${sumOf(Object.values(counters))} packets counted`;
  const name = firstDiffering(counters, other.counters);
  return name === undefined ? sum : `${sum}, ${counters[name] ?? 'none'} of them at ${name}`;
}

type Numbers = Readonly<Record<string, number>>;

/** Of the lowest table, where they are flows. */
export function firstDiffering(a: Numbers, b: Numbers): string | undefined {
  const tableOf = (name: string) => Number(/ table=(\d+)/.exec(name)?.[1] ?? 0);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => (a[name] ?? 0) !== (b[name] ?? 0))
    .sort()
    .toSorted((x, y) => tableOf(x) - tableOf(y))[0];
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
