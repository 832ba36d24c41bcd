/** What has to stay the same while a case is shrunk: a failure, or a difference of versions. */
import { rm } from 'node:fs/promises';
import { InputError } from '../../base/errors/errors.js';
import { within } from '../../base/files/path-part.js';
import type { HistoryRow } from '../../history/history-row.js';
import { endsApart } from '../../search/compare-samples.js';
import {
  confidenceOf,
  firstChangeNamed,
  firstDiffering,
  isWork,
  workOf,
  type Comparable,
} from '../bisect/bisect-judge.js';
import { scenarioIn, type World, type WorldRunner } from '../bisect/bisect-world.js';
import type { Context } from '../context.js';
import { whyNotAsked, type PlayedVector } from '../runs/play-vector.js';
import { scenarioOf, type ShrunkCase } from './shrunk-case.js';
import { writeCase } from './write-shrunk.js';
import { scratchFolder } from '../../ovs/workspace/workspace.js';

export type PlayedOn = 'switches' | 'model';

export interface Seen {
  /** The same for the same failure: `intent at br-int table 0`. */
  readonly signature: string;
  readonly words: string;
}

export interface Failure {
  /** In a case, or in the scenario as it is; undefined where it has none. */
  readonly seen: (some: ShrunkCase | undefined, on: PlayedOn) => Promise<Seen | undefined>;
  /** The bad version of a case, or of the scenario. */
  readonly playBad: (some: ShrunkCase | undefined, again?: string) => Promise<PlayedVector>;
  readonly good?: World;
  readonly bad: World;
}

export interface FailureOptions {
  readonly firstChange: string;
  readonly confidence: string;
  readonly scenario: string;
  readonly repo?: string;
}

/** @param good missing where the bad version fails by itself. */
export function failureOf(
  context: Context,
  worlds: WorldRunner,
  vector: string,
  options: FailureOptions,
  { good, bad }: { readonly good?: World; readonly bad: World },
): Failure {
  const play = (world: World, some: ShrunkCase | undefined, on: PlayedOn, again?: string) =>
    worlds.play(world, {
      vector,
      on,
      ...(isWork(options.firstChange) ? { work: 'counted' as const } : {}),
      ...(again === undefined ? {} : { again }),
      ...(some === undefined
        ? {}
        : {
            changed: ({ scenario }) => ({
              scenario: scenarioOf(scenario, some, world === good ? 'good' : 'bad'),
              axes: {},
            }),
          }),
    });
  const failure = {
    bad,
    ...(good === undefined ? {} : { good }),
    playBad: (some: ShrunkCase | undefined, again?: string) => play(bad, some, 'switches', again),
  };
  const change = firstChangeNamed(options.firstChange);
  if (change === 'throughput') {
    if (good === undefined)
      throw new InputError('--first-change throughput needs --good and --bad');
    const verdictOf = async (some: ShrunkCase | undefined) =>
      (await play(bad, some, 'model')).row.verdict;
    return { ...failure, seen: samplesDiffer(context, worlds, options, { good, bad, verdictOf }) };
  }
  return {
    ...failure,
    seen: async (some, on) => {
      try {
        const { row } = await play(bad, some, on);
        if (good === undefined)
          return row.verdict === 'diverges'
            ? { signature: signatureOf(row), words: row.summary }
            : undefined;
        return differenceOf(change, (await play(good, some, on)).row, row);
      } catch (error) {
        if (some === undefined) throw error;
        whyNotAsked(error);
        return undefined;
      }
    },
  };
}

/** `intent at br-int table 0`; nodes may have other names in a smaller network. */
export function signatureOf({ aspect, place }: HistoryRow): string {
  const [, bridge, table] = /^\S+ (\S+) table (\d+)/.exec(place) ?? [];
  return table === undefined ? aspect : `${aspect} at ${bridge ?? ''} table ${table}`;
}

/** How the row of a bad version differs from that of a good one; undefined where it does not. */
export function differenceOf(
  change: Comparable,
  good: HistoryRow,
  bad: HistoryRow,
): Seen | undefined {
  const verdicts = `${good.verdict} and ${bad.verdict}`;
  switch (change) {
    case 'verdict':
      return good.verdict === bad.verdict
        ? undefined
        : { signature: `${verdicts}: ${signatureOf(bad)}`, words: bad.summary };
    case 'counters': {
      const name = firstDiffering(good.counters, bad.counters);
      if (name === undefined) return undefined;
      const [, bridge, table] = /^\S+ (\S+) table=(\d+)/.exec(name) ?? [];
      return {
        signature: `${verdicts}: counters at ${bridge ?? ''} table ${table ?? ''}`,
        words: `${name}: ${good.counters[name] ?? 0} → ${bad.counters[name] ?? 0} packets`,
      };
    }
    case 'convergence': {
      const [before, now] = [good.converged_us ?? 0, bad.converged_us ?? 0];
      return before === now
        ? undefined
        : {
            signature: `${verdicts}: converges ${now > before ? 'later' : 'earlier'}`,
            words: `${before} → ${now} µs of virtual time`,
          };
    }
    case 'trace':
      return good.trace === bad.trace
        ? undefined
        : { signature: `${verdicts}: other observations`, words: bad.trace.slice(0, 12) };
    default: {
      const [before, now] = [workOf(change, good), workOf(change, bad)];
      return before === now
        ? undefined
        : { signature: `${verdicts}: ${change}`, words: `${change}: ${before} → ${now}` };
    }
  }
}

const samplesMax = 48;

interface SampledEnds {
  readonly good: World;
  readonly bad: World;
  /** Of the vector, with the bad version's flows. @throws where it cannot be played. */
  readonly verdictOf: (some: ShrunkCase | undefined) => Promise<string>;
}

/** A case is written into a folder, which `--measure` gets by FLOWBED_CASE. */
function samplesDiffer(
  { say, teardown, root }: Context,
  worlds: WorldRunner,
  { confidence, ...options }: FailureOptions,
  { good, bad, verdictOf }: SampledEnds,
): Failure['seen'] {
  const alpha = 1 - confidenceOf(Number(confidence));
  return async (some) => {
    const scratch = await scratchFolder();
    const remove = () => rm(scratch, { recursive: true, force: true });
    teardown.add(remove);
    const sampler = (world: World, end: 'good' | 'bad') => async () => {
      const folder = some === undefined ? undefined : within(scratch, end);
      if (some !== undefined && folder !== undefined)
        await writeCase({ root, out: folder, scenario: scenarioIn(options, options.repo) }, some, {
          end,
        });
      return await worlds.sample(world, folder);
    };
    try {
      const verdict = await verdictOf(some);
      const apart = await endsApart(sampler(good, 'good'), sampler(bad, 'bad'), {
        alpha,
        samplesMax,
      });
      if (apart === undefined) return undefined;
      const [before, now] = [medianOf(apart.good), medianOf(apart.bad)];
      say(`${apart.good.length} samples of either end: ${before} → ${now}`);
      return {
        signature: `${verdict}: ${now < before ? 'slower' : 'faster'}`,
        words: `median ${before} → ${now} of ${apart.good.length} samples`,
      };
    } catch (error) {
      if (some === undefined) throw error;
      whyNotAsked(error);
      return undefined;
    } finally {
      await remove();
    }
  };
}

function medianOf(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? NaN;
}
