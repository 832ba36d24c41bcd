/**
 * Three families of failure: our own bug (`assert`, crashes loudly), bad input (`InputError`, exit
 * code 2) and the environment (`Unavailable`, on the way to `inconclusive`, exit code 3). A
 * divergence is a value, never an exception.
 */
import { onOneLine } from '../text/visible.js';

/** Where in a text something stands; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `file:line:column`, as editors and terminals link it. */
export function formatPlace(place: Place): string {
  return [place.file, place.line, place.column].filter((part) => part !== undefined).join(':');
}

/**
 * The request is wrong: usage, a scenario, an input file. The message names the value and what
 * would be right.
 */
export class InputError extends Error {
  override readonly name = 'InputError';
  /** @param message in a line each: what stands in one, names of an input say, begins no other. */
  constructor(
    message: string | readonly string[],
    readonly place?: Place,
  ) {
    const [first = '', ...others] = typeof message === 'string' ? [message] : message;
    const lines = [place === undefined ? first : `${formatPlace(place)}: ${first}`, ...others];
    super(lines.map(onOneLine).join('\n'));
  }
}

/** Something of the environment failed: says what was tried and what would do instead. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** What a person can do about it, one line each. */
  readonly remedies: readonly string[];
  /** The last lines of whatever failed: a daemon's log, a program's stderr. */
  readonly evidence: readonly string[];
  constructor(message: string, remedies: readonly string[] = [], evidence: readonly string[] = []) {
    super(onOneLine(message));
    this.remedies = remedies.map(onOneLine);
    this.evidence = evidence.map(onOneLine);
  }
}

/**
 * Something outside reached into what was under way. It is put right before the next: nothing
 * beside what was under way is without a verdict.
 */
export class Disturbed extends Unavailable {}

/** The model was asked to interpret something that it does not know. Never skipped in silence. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
  constructor(message: string) {
    super(onOneLine(message));
  }
}

/**
 * What a switch does there is nondeterministic: it aborts, reads memory that is not the packet's,
 * uses an order of its own, goes by what it has cached or unwildcarded for other flows, or gets
 * delayed checksums wrong.
 */
export class Unpredictable extends Unsupported {}

/** Our own. */
export class BugInFlowbed extends Error {
  override readonly name = 'BugInFlowbed';
  constructor(message: string) {
    super(`bug in flowbed: ${message}`);
  }
}

/** Crashes on our own bugs. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BugInFlowbed(message);
}

/** The end of an exhaustive switch over a closed union. */
export function assertNever(value: never): never {
  throw new BugInFlowbed(`unexpected ${JSON.stringify(value)}`);
}

/** "unknown scenario "x": known are a, b, c", with the nearest name first if one is close. */
export function unknownName(kind: string, name: string, known: readonly string[]): InputError {
  const near = known.find(
    (candidate) =>
      candidate.length > 1 &&
      editDistance(candidate, name) <= Math.max(1, Math.floor(candidate.length / 3)),
  );
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const listed = known.slice(0, namesListed).join(', ') || 'none';
  const more = known.length > namesListed ? ` and ${known.length - namesListed} more` : '';
  return new InputError(`unknown ${kind} "${name}".${hint} Known: ${listed}${more}.`);
}

/** More would bury the answer. */
const namesListed = 20;

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** What `read` refuses its input with; undefined where it takes it. */
export function complaint(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
