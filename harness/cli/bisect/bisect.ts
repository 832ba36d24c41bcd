/** `flowbed bisect VECTOR --good A --bad B`: which version of which component changed it. */
import { knownImages, openImage } from '../../../images/images.js';
import { InputError, unknownName } from '../../base/errors/errors.js';
import { printedJson } from '../../base/text/visible.js';
import { versionOf } from '../../ovs/process/version.js';
import { bisect as search, type BisectResult } from '../../search/bisect.js';
import { olderVersion } from '../../run/adapt-plan.js';
import { exitCodes, type Context } from '../context.js';
import {
  components,
  openWorlds,
  type Component,
  type World,
  type WorldOptions,
} from './bisect-world.js';
import { culpritsAmong, pick } from './bisect-culprits.js';
import { describeWorld, readWorld, treeOf } from './read-world.js';
import { judgeFor, type Judge } from './bisect-judge.js';
import { commitOf, commitsBetween, type Commit } from './git-tree.js';

export interface BisectOptions extends WorldOptions {
  readonly good: string;
  readonly bad: string;
  readonly firstChange: string;
  readonly confidence: string;
  readonly json?: boolean;
}

/** What one component has to do with it. */
interface FoundCause {
  readonly component: Component;
  /** The first bad version; several where those between could not be asked. */
  readonly first: readonly Version[];
  readonly asked: number;
  /** Whether it alone, swapped at both ends, brings the change and takes it away. */
  readonly isConfirmed: boolean;
}

/** A version of one component, with what people call it. */
type Version = Commit;

/** @returns 0 where the cause was found and confirmed, 3 where it was not. */
export async function bisect(
  outside: Context,
  vector: string,
  options: BisectOptions,
): Promise<number> {
  const log: string[] = [];
  const print = (line: string) => void log.push(line);
  const context = options.json === true ? { ...outside, print } : outside;
  const [good, bad] = [
    await readWorld(options, '--good', options.good),
    await readWorld(options, '--bad', options.bad),
  ];
  const differing = components.filter((one) => good[one] !== bad[one]);
  if (differing.length === 0)
    throw new InputError(`--good and --bad are the same: ${describeWorld(good)}`);
  const worlds = openWorlds(context, options);
  const judge = await judgeFor(context, worlds, vector, options, { good, bad });
  context.print(`# good: ${describeWorld(good)}: ${judge.good}`);
  context.print(`# bad: ${describeWorld(bad)}: ${judge.bad}`);
  const culprits = await culpritsAmong(context, judge, differing, good, bad);
  const found: FoundCause[] = [];
  for (const component of culprits) {
    const held = { ...good, ...pick(bad, culprits) };
    const versions = await versionsBetween(options, component, good, bad);
    const result = await bisectComponent(context, judge, component, versions, held);
    found.push({
      component,
      first: result.first,
      asked: result.steps.length,
      isConfirmed: await report(context, judge, component, result, versions, { good, bad, held }),
    });
  }
  if (options.json === true)
    outside.print(
      printedJson({
        vector,
        firstChange: options.firstChange,
        good: { world: good, seen: judge.good },
        bad: { world: bad, seen: judge.bad },
        found,
        log,
      }),
    );
  return found.every(({ isConfirmed }) => isConfirmed)
    ? exitCodes.conforms
    : exitCodes.inconclusive;
}

async function bisectComponent(
  { print, say }: Context,
  { isBad }: Judge,
  component: Component,
  versions: readonly Version[],
  held: World,
): Promise<BisectResult<Version>> {
  const command = component === 'image' ? 'bisect' : 'git bisect';
  print(`${command} start`);
  const say1 = (kind: string, { sha, subject }: Version, why = '') => {
    print(`# ${kind}: [${sha}] ${subject}${why && `: ${why}`}`);
    print(`${command} ${kind} ${sha}`);
  };
  const [before, ...candidates] = versions;
  const last = versions.at(-1);
  if (before !== undefined) say1('good', before);
  if (last !== undefined) say1('bad', last);
  return await search(
    candidates,
    ({ sha }) => isBad({ ...held, [component]: sha }),
    ({ candidate, answer }, left) => {
      say1(answer.kind, candidate, answer.kind === 'skip' ? answer.why : '');
      say(`${left} left to ask`);
    },
  );
}

/** Confirms it by swapping this component alone, at both ends. @returns whether it is confirmed. */
async function report(
  { print }: Context,
  { isBad }: Judge,
  component: Component,
  { first, steps }: BisectResult<Version>,
  versions: readonly Version[],
  { good, bad, held }: { readonly good: World; readonly bad: World; readonly held: World },
): Promise<boolean> {
  const [found, ...others] = first;
  if (found === undefined) return false;
  const what = component === 'image' ? 'image' : 'commit';
  if (others.length > 0) {
    print(`# only skipped ${what}s left to test: the first bad one is any of`);
    for (const { sha, subject } of first) print(`# [${sha}] ${subject}`);
    return false;
  }
  print(`# first bad ${what}: [${found.sha}] ${found.subject}`);
  const index = versions.findIndex(({ sha }) => sha === found.sha);
  const before = versions[index - 1];
  const swap = (world: World, version: Version | undefined) =>
    isBad({ ...world, ...(version === undefined ? {} : { [component]: version.sha }) });
  const [intoGood, outOfBad] = [await swap({ ...good, ...held }, found), await swap(bad, before)];
  print(`# asked ${steps.length} of ${versions.length - 2} between`);
  const isCause = intoGood.kind === 'bad';
  print(`# it alone, where all else is as held: ${isCause ? 'bad, as expected' : intoGood.kind}`);
  const isNeeded = outOfBad.kind === 'good';
  print(
    `# the one before it, where all else is bad: ` +
      (isNeeded ? 'good, as expected' : `${outOfBad.kind}: something else is bad as well`),
  );
  return isCause && isNeeded;
}

/** The good one first, the bad one last. */
async function versionsBetween(
  options: BisectOptions,
  component: Component,
  good: World,
  bad: World,
): Promise<readonly Version[]> {
  const [from = '', to = ''] = [good[component], bad[component]];
  const tree = treeOf(options, component);
  if (tree === undefined) return await imagesBetween(from, to);
  const [first, last] = [await commitOf(tree, from), await commitOf(tree, to)];
  return [first, ...(await commitsBetween(tree, first, last))];
}

/** Of all known images those whose Open vSwitch is between, in order of versions. */
async function imagesBetween(good: string, bad: string): Promise<readonly Version[]> {
  const names = knownImages.map(({ name }) => name).filter((name) => name !== 'system');
  for (const name of [good, bad])
    if (!names.includes(name)) throw unknownName('image', name, names);
  const found: Version[] = [];
  for (const name of names)
    found.push({
      sha: name,
      subject: `OVS ${await versionOf(await openImage(name, () => undefined))}`,
    });
  const sorted = found.toSorted((a, b) => {
    const [left, right] = [a.subject.slice(4), b.subject.slice(4)];
    return left === right ? 0 : olderVersion(left, right) === left ? -1 : 1;
  });
  const places = [good, bad].map((name) => sorted.findIndex(({ sha }) => sha === name));
  const [start = 0, end = 0] = places.toSorted((a, b) => a - b);
  const between = sorted.slice(start, end + 1);
  return between[0]?.sha === good ? between : between.toReversed();
}
