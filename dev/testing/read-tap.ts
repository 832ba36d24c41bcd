import { Parser, type Result } from 'tap-parser';
import { stringify } from 'yaml';

/** What one test file, or another check, came to. Assertions are counted, each once. */
export interface Tally {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
}

export interface Failure {
  /** The names of the subtests around it and its own, outermost first. */
  readonly path: readonly string[];
  /** Lines for a person: where, and what differs. */
  readonly diagnosis: readonly string[];
}

export interface Skip {
  readonly path: readonly string[];
  readonly reason: string;
}

export interface TapReading {
  readonly tally: Tally;
  /** What is wrong with the stream itself: cut off, a plan that does not hold. */
  readonly complaints: readonly string[];
}

/**
 * Counts the assertions of a TAP stream (TAP 14). A subtest counts by what is in it; as one
 * assertion when there is nothing in it, since a throw would have failed it; and as one failure
 * when it fails with nothing in it that failed: a wrong plan, a time-out. A `TODO` counts as
 * skipped.
 */
export function readTap(text: string): TapReading {
  const tally = { passed: 0, failures: [] as Failure[], skips: [] as Skip[] };
  const parser = new Parser();
  parser.on('bailout', (reason: string) =>
    tally.failures.push({ path: ['bail out'], diagnosis: [reason] }),
  );
  collect(parser, [], tally);
  parser.end(text);
  const { results } = parser;
  const [, skipReason] = /^skip\S*\s*(.*)/i.exec(results?.plan.skipReason ?? '') ?? [];
  if (skipReason !== undefined)
    tally.skips.push({ path: ['the whole file'], reason: reasonOf(skipReason) });
  const complaints = (results?.failures ?? []).flatMap((failure) =>
    'tapError' in failure && failure.tapError !== null ? [failure.tapError] : [],
  );
  return { tally, complaints };
}

interface MutableTally {
  passed: number;
  readonly failures: Failure[];
  readonly skips: Skip[];
}

function collect(parser: Parser, outer: readonly string[], tally: MutableTally): void {
  let before = { failed: 0, counted: 0 };
  const now = (): typeof before => ({
    failed: tally.failures.length,
    counted: tally.passed + tally.failures.length + tally.skips.length,
  });
  parser.on('child', (child: Parser) => {
    before = now();
    collect(child, [...outer, child.name], tally);
  });
  parser.on('assert', (result: Result) => {
    const path = [...outer, result.name];
    const wasReported =
      result.closingTestPoint &&
      (result.ok ? now().counted > before.counted : now().failed > before.failed);
    if (result.skip !== false) tally.skips.push({ path, reason: reasonOf(result.skip) });
    else if (result.todo !== false)
      tally.skips.push({ path, reason: `to do: ${reasonOf(result.todo)}` });
    else if (wasReported) return;
    else if (result.ok) tally.passed++;
    else tally.failures.push({ path, diagnosis: diagnose(result) });
  });
}

function reasonOf(directive: string | boolean): string {
  return typeof directive === 'string' && directive !== '' ? directive : 'no reason given';
}

function diagnose(result: Result): readonly string[] {
  const {
    at,
    source: _,
    diff,
    stack,
    ...rest
  } = (result.diag ?? {}) as {
    at?: { fileName?: string; lineNumber?: number };
    source?: string;
    diff?: string;
    stack?: string;
  };
  return [
    ...(at?.fileName === undefined ? [] : [`at ${at.fileName}:${at.lineNumber ?? '?'}`]),
    ...lines(diff),
    ...(Object.keys(rest).length === 0 ? [] : lines(stringify(rest))),
    ...(diff === undefined ? lines(stack) : []),
  ];
}

function lines(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.trimEnd().split('\n');
}
