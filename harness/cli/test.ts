import { readdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { engineForTests, engines } from '../../images/engines.js';
import { defaultImage, openImage } from '../../images/images.js';
import { colors } from '../base/text/colors.js';
import { mapConcurrently } from '../base/concurrency/map-concurrently.js';
import { attempt } from '../base/errors/outcome.js';
import { InputError, type Unavailable } from '../base/errors/errors.js';
import { findLeftovers, removeLeftover } from '../ovs/workspace/leftovers.js';
import { builtForTests, type BuiltForTests } from './built-for-tests.js';
import type { Check, Checked, Tally, TestWorkers } from '../../dev/testing/index.js';

export interface TestOptions {
  /** Leaves out what needs daemons: `*.live.test.ts`. */
  readonly fast: boolean;
  /** Parts of names: a check runs when its name holds one of them. None: all run. */
  readonly patterns: readonly string[];
}

/**
 * Runs the type check, the linter, the formatter and the compiled test files, and prints their
 * results; the last line is `N passed, N failed, N skipped`, counted in assertions. Needs the
 * development dependencies.
 * @returns the exit code: 0 when something passed and nothing failed.
 * @throws InputError when no check has such a name.
 */
export async function runTests(options: TestOptions): Promise<number> {
  const testing = await import('../../dev/testing/index.js');
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const workers = testing.openTestWorkers(root);
  const checks = await selectChecks(options, workers, testing);
  const live = checks.filter((check) => check.name.endsWith('.live.test.ts'));
  const checked: Checked[] = [];
  const run = async (check: Check): Promise<Tally> => {
    const start = performance.now();
    const tally = await check.run();
    checked.push({ name: check.name, tally, durationMs: performance.now() - start });
    print(testing.progressLine(checked.at(-1)!, colors));
    return tally;
  };
  const image =
    live.length === 0
      ? passed
      : await run({ name: `image ${defaultImage}`, run: () => prepareImage(print) });
  // Tests with an engine ask for it themselves; made beforehand, two of them do not make it twice.
  if (live.some(({ name }) => name.includes('docker')) && image.failures.length === 0)
    await run({ name: `Docker engine ${engines[0].name}`, run: () => prepareEngine(print) });
  const left = new Set((await findLeftovers()).map(({ dir }) => dir));
  const runAll = (chosen: readonly Check[]) =>
    mapConcurrently(
      Math.min(8, Math.max(2, availableParallelism())),
      chosen.map((check) =>
        live.includes(check) && image.failures.length > 0
          ? skippedCheck(check, `no image ${defaultImage}`)
          : check,
      ),
      run,
    );
  const builds = isDemanded
    ? builtForTests.filter(({ tests }) => live.some(({ name }) => tests.test(name)))
    : [];
  const later = live.filter(({ name }) => builds.some(({ tests }) => tests.test(name)));
  // Compiling takes minutes: the other tests run meanwhile.
  await Promise.all([
    (async () => {
      for (const build of builds) await run({ name: build.name, run: () => prepare(build, print) });
    })(),
    runAll(checks.filter((check) => !later.includes(check))),
  ]);
  await runAll(later);
  workers.close();
  if (live.length > 0) await run({ name: 'no leftovers', run: () => checkLeftovers(left) });
  for (const line of testing.summary(checked, colors)) print(line);
  return checked.every(({ tally }) => tally.failures.length === 0) &&
    checked.some(({ tally }) => tally.passed > 0)
    ? 0
    : 1;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const fastLimitMs = 600_000;
const liveLimitMs = 600_000;
/** Continuous integration skips nothing for want of what can be made. */
const isDemanded = process.env['CI'] === 'true';
const passed: Tally = { passed: 1, failures: [], skips: [] };

/** All checks that the options ask for, those that take longest first. */
async function selectChecks(
  { fast, patterns }: TestOptions,
  workers: TestWorkers,
  { workerFileCheck, testFileCheck, programCheck }: typeof import('../../dev/testing/index.js'),
): Promise<readonly Check[]> {
  const files = (await readdir(join(root, 'dist'), { recursive: true }))
    .filter((file) => file.endsWith('.test.js'))
    .sort();
  const isLive = (file: string): boolean => file.endsWith('.live.test.js');
  const check = (file: string): Check => {
    const [name, compiled] = [file.replace(/js$/, 'ts'), join(root, 'dist', file)];
    return isLive(file)
      ? testFileCheck(name, compiled, root, liveLimitMs)
      : workerFileCheck(name, compiled, workers, fastLimitMs);
  };
  const all = [
    programCheck('lint', await lintArguments(fast), root, liveLimitMs),
    programCheck(
      'format',
      [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', root],
      root,
      liveLimitMs,
    ),
    programCheck(
      'types',
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        root,
        '--noEmit',
        '--incremental',
        '--tsBuildInfoFile',
        join(root, '.flowbed/types.tsbuildinfo'),
      ],
      root,
      liveLimitMs,
    ),
    ...(fast ? [] : files.filter(isLive).map(check)),
    ...files.filter((file) => !isLive(file)).map(check),
  ];
  const selected =
    patterns.length === 0
      ? all
      : all.filter(({ name }) => patterns.some((pattern) => name.includes(pattern)));
  if (selected.length === 0)
    throw new InputError(
      `no test has ${patterns.map((pattern) => `"${pattern}"`).join(' or ')} in its name. ` +
        `Known: ${all.map(({ name }) => name).join(', ')}.`,
    );
  return selected;
}

/**
 * The linter's cache skips files that are as they were, though what they import may have changed:
 * the full run starts without it.
 */
async function lintArguments(fast: boolean): Promise<readonly string[]> {
  const cache = join(root, '.flowbed/eslint');
  if (!fast) await rm(cache, { force: true });
  return [
    join(root, 'node_modules/eslint/bin/eslint.js'),
    root,
    '--max-warnings=0',
    '--cache',
    '--cache-strategy=content',
    `--cache-location=${cache}`,
  ];
}

async function prepareImage(say: (line: string) => void): Promise<Tally> {
  const outcome = await attempt(() => openImage(defaultImage, say));
  return outcome.kind === 'ok' ? passed : failedBy(outcome.cause);
}

/** Where it cannot be made, its tests are skipped for the same reason. */
async function prepare(build: BuiltForTests, say: (line: string) => void): Promise<Tally> {
  const outcome = await attempt(() => build.make(say));
  if (outcome.kind === 'unavailable') return failedBy(outcome.cause);
  const reason = outcome.value;
  return reason === undefined
    ? passed
    : { passed: 0, failures: [], skips: [{ path: [build.name], reason }] };
}

/** @throws nothing: where it is demanded and cannot be had, that is a failure. */
async function prepareEngine(say: (line: string) => void): Promise<Tally> {
  const path = ['the engine that tests demand'];
  const outcome = await attempt(() => engineForTests(engines[0].name, say));
  if (outcome.kind === 'unavailable') return failedBy(outcome.cause);
  return 'missing' in outcome.value
    ? { passed: 0, failures: [], skips: [{ path, reason: outcome.value.missing }] }
    : passed;
}

function failedBy({ message, remedies, evidence }: Unavailable): Tally {
  const diagnosis = [...evidence, ...remedies.map((remedy) => `- ${remedy}`)];
  return { passed: 0, failures: [{ path: [message], diagnosis }], skips: [] };
}

function skippedCheck({ name }: Check, reason: string): Check {
  return {
    name,
    run: () =>
      Promise.resolve({ passed: 0, failures: [], skips: [{ path: ['the whole file'], reason }] }),
  };
}

/**
 * Tests must end their daemons: those of test files that have ended are a failure, and are removed.
 */
async function checkLeftovers(before: ReadonlySet<string>): Promise<Tally> {
  const leftovers = (await findLeftovers()).filter(({ dir }) => !before.has(dir));
  for (const leftover of leftovers) await removeLeftover(leftover);
  if (leftovers.length === 0) return passed;
  return {
    passed: 0,
    failures: leftovers.map(({ dir, processes }) => ({
      path: [dir],
      diagnosis: [`with ${processes.length} daemons still running`],
    })),
    skips: [],
  };
}
