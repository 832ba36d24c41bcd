/**
 * `flowbed shrink VECTOR`: the smallest network, flows, events and packet with the same failure.
 */
import { join, relative } from 'node:path';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { sha256 } from '../../base/files/digest.js';
import { describeWorld, readWorld } from '../bisect/read-world.js';
import { openWorlds, scenarioIn, type WorldOptions } from '../bisect/bisect-world.js';
import { exitCodes, type Context } from '../context.js';
import { loadScenario } from '../scenarios/scenarios.js';
import { bridgesIn, flowsIn, shrinkCase, shrinkFlows, type Plans } from './shrink-case.js';
import { failureOf, type Failure, type PlayedOn, type Seen } from './shrink-failure.js';
import { casesOf, scenarioOf, sizeOf, type ShrunkCase } from './shrunk-case.js';
import { writeCase, writeFrozen } from './write-shrunk.js';

export interface ShrinkOptions extends WorldOptions {
  readonly image: string;
  readonly out: string;
  /** Where versions are compared: the good one, and the bad one. */
  readonly good?: string;
  readonly bad?: string;
  readonly firstChange: string;
  readonly confidence: string;
}

/** @returns 0 where a smaller case was written, 2 where the vector does not fail. */
export async function shrink(
  context: Context,
  vector: string,
  options: ShrinkOptions,
): Promise<number> {
  const worlds = openWorlds(context, options);
  const failure = failureOf(context, worlds, vector, options, await endsOf(options));
  const seen = await failure.seen(undefined, 'switches');
  if (seen === undefined) throw await noFailure(vector, failure);
  context.print(`${vector}: ${seen.signature}: ${seen.words}`);
  const there = await worlds.scenario(failure.bad);
  const isWritten = there.scenario.controlPlane.written === true || failure.good !== undefined;
  const cases: ShrunkCase[] = [];
  // What measures gets its flows from the case alone.
  for (const one of casesOf(there.scenario, there.axes, vector)) {
    if (options.firstChange !== 'throughput') cases.push(one);
    else {
      const plans = await plansOf(failure, worlds, vector, one);
      cases.push({ ...one, flows: flowsIn(plans), bridges: bridgesIn(plans) });
    }
  }
  const search = await searchIn(context, failure, seen, cases);
  let small = await shrinkCase(search.whole, search.holds);
  const plans = await plansOf(failure, worlds, vector, small);
  const frozen = await shrinkFlows(small, plans, search.holds);
  // With flows that somebody wrote, fewer of them need less of the network.
  if (frozen !== undefined && isWritten) small = await shrinkCase(frozen, search.holds);
  await confirm(failure, seen, small);
  await writeAll(context, options, failure, { seen, small, frozen: isWritten ? small : frozen });
  context.print(`${sizeOf(search.whole)}\n→ ${sizeOf(small)}, ${search.tries()} tries`);
  return exitCodes.conforms;
}

async function endsOf(options: ShrinkOptions): Promise<Pick<Failure, 'good' | 'bad'>> {
  const { good, bad, image } = options;
  if (good === undefined && bad === undefined) return { bad: { image } };
  if (good === undefined || bad === undefined)
    throw new InputError('--good and --bad go together: the versions that are compared');
  return {
    good: await readWorld(options, '--good', good),
    bad: await readWorld(options, '--bad', bad),
  };
}

async function noFailure(vector: string, { good, bad, playBad }: Failure): Promise<InputError> {
  if (good !== undefined)
    return new InputError(
      `${vector} is alike in ${describeWorld(good)} and ${describeWorld(bad)}: there is nothing ` +
        'to shrink',
    );
  const { row } = await playBad(undefined);
  return new InputError(`${vector} ${row.verdict}: there is no failure to shrink`);
}

interface Search {
  readonly whole: ShrunkCase;
  readonly holds: (some: ShrunkCase) => Promise<boolean>;
  readonly tries: () => number;
}

/**
 * Begins with the first case that fails in the same way. Where a second model in place of the
 * switches shows it as well, it is searched there.
 */
async function searchIn(
  context: Context,
  { seen: seenIn }: Failure,
  { signature }: Seen,
  cases: readonly ShrunkCase[],
): Promise<Search> {
  let tries = 0;
  const known = new Map<string, boolean>();
  const holdsOn = (on: PlayedOn) => async (some: ShrunkCase) => {
    const key = sha256(JSON.stringify([on, some]));
    const before = known.get(key);
    if (before !== undefined) return before;
    context.say(`try ${++tries}: ${sizeOf(some)}`);
    const holds = (await seenIn(some, on))?.signature === signature;
    known.set(key, holds);
    return holds;
  };
  for (const on of ['model', 'switches'] as const)
    for (const whole of cases)
      if (await holdsOn(on)(whole)) return { whole, holds: holdsOn(on), tries: () => tries };
  throw new Unavailable(`${signature}: it is not seen where no other vector is played`);
}

async function plansOf(
  failure: Failure,
  worlds: ReturnType<typeof openWorlds>,
  vector: string,
  some: ShrunkCase,
): Promise<Plans> {
  const { good, bad } = failure;
  const planOf = async (world: typeof bad, end: 'good' | 'bad') => {
    const { record } = await worlds.play(world, {
      vector,
      on: 'model',
      changed: ({ scenario }) => ({ scenario: scenarioOf(scenario, some, end), axes: {} }),
    });
    return record.scenarios[0]?.plan;
  };
  const [badPlan, goodPlan] = [
    await planOf(bad, 'bad'),
    good === undefined ? undefined : await planOf(good, 'good'),
  ];
  return {
    ...(badPlan === undefined ? {} : { bad: badPlan }),
    ...(goodPlan === undefined ? {} : { good: goodPlan }),
  };
}

async function confirm(failure: Failure, { signature }: Seen, small: ShrunkCase): Promise<void> {
  const again = await failure.seen(small, 'switches');
  if (again?.signature !== signature)
    throw new Unavailable(
      `the smallest case, ${sizeOf(small)}, does not fail on the switches as the whole one does: ` +
        `${again?.signature ?? 'it does not fail'}`,
      ['report it: the search was misled'],
    );
}

interface Found {
  readonly seen: Seen;
  readonly small: ShrunkCase;
  /** With flows of its own; undefined where there are none. */
  readonly frozen: ShrunkCase | undefined;
}

async function writeAll(
  context: Context,
  options: ShrinkOptions,
  failure: Failure,
  { seen, small, frozen = small }: Found,
): Promise<void> {
  const { out, image } = options;
  // As it lies in the user's repository: what commits hold is in the case's own files.
  const scenario = scenarioIn(options, options.repo);
  const written = await writeCase({ root: context.root, out, scenario }, small, {
    end: 'bad',
    words: [seen.signature, seen.words],
  });
  await loadScenario(context.root, written);
  const folder = join(out, 'frozen');
  const again = `./flowbed replay ${relative(process.cwd(), folder)}`;
  const { row, record } = await failure.playBad(frozen, again);
  if (failure.good === undefined && row.verdict !== 'diverges')
    throw new Unavailable(`${folder} does not diverge on ${image} as ${written} does`);
  await writeFrozen(folder, record);
  context.print(`run it: ./flowbed run ${relative(process.cwd(), written)}`);
  context.print(`frozen: ${again}`);
}
