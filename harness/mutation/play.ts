/** A program that plays test files, each as often as it is told to, and tells how it went. */
// What tap is made of, in its order: tap itself would take the program for a test.
import { TestBase } from '@tapjs/core';
import { Test } from '@tapjs/test';
import fc from 'fast-check';
import { pathToFileURL } from 'node:url';
import { takeTests, tearDown, type CollectedTest } from './collected.js';
import { lives, nobody, type Answer, type Request } from './question.js';
import { letLive, recordQuestions } from './switch.js';

const fromTheStart = Number(process.env[lives] ?? nobody);
/** The tests of each file, the one that failed last in front: it is the likeliest to notice the next mutant. */
const loaded = new Map<string, CollectedTest[]>();

// Properties draw the same examples every time, so that a mutant lives or dies for good; the first that fails will do.
fc.configureGlobal({ seed: 1, endOnFailure: true });
endTestsAtFirstFailure();

process.on('disconnect', () => void tearDown().finally(() => process.exit()));
process.on('message', (request: Request) => void respond(request).then((answer) => process.send?.(answer)));

async function respond(request: Request): Promise<Answer> {
  if (request.kind === 'record') {
    let failed: CollectedTest | undefined;
    const play = async () => { failed ??= await firstToFail(await load(request.file)); };
    const [first, again] = [await recordQuestions(play), await recordQuestions(play)];
    return failed === undefined ? { kind: 'asked', first, again } : { kind: 'failed' };
  }
  letLive(fromTheStart);
  const tests = await load(request.file);
  letLive(request.mutant, request.questionsMax);
  const failed = await firstToFail(tests);
  if (failed === undefined) return { kind: 'passed' };
  letLive(fromTheStart);
  return { kind: request.mutant === fromTheStart || (await passes(failed)) ? 'failed' : 'spoilt' };
}

async function load(file: string): Promise<CollectedTest[]> {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  await import(pathToFileURL(file).href);
  const tests = [...takeTests()];
  loaded.set(file, tests);
  return tests;
}

async function firstToFail(tests: CollectedTest[]): Promise<CollectedTest | undefined> {
  for (const [index, test] of tests.entries()) {
    if (await passes(test)) continue;
    tests.unshift(...tests.splice(index, 1));
    return test;
  }
  return undefined;
}

/** Whether something has failed in the test that is played. */
let over = false;

async function passes({ name, options, run }: CollectedTest): Promise<boolean> {
  over = false;
  const test = new Test({ ...options, name, cb: run, bail: true });
  test.resume();
  await new Promise<void>((resolve) => { test.runMain(resolve); });
  return test.passing();
}

/** tap goes on behind an assertion that fails; here the test is over. What fails because of that, such as the test around it, is told as ever. */
function endTestsAtFirstFailure(): void {
  const { fail, threw } = TestBase.prototype;
  TestBase.prototype.fail = function (...rest) {
    if (over) return fail.apply(this, rest);
    over = true;
    throw new Error('an assertion failed');
  };
  TestBase.prototype.threw = function (...rest) {
    over = true;
    return threw.apply(this, rest);
  };
}
