/** Which code is a scenario's: its place in stacks, as people look for it. */
import { findSourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { writtenStack } from '../bundle/written-stack.js';
import { isBundle } from '../unsupervised.js';
import type { Place } from '../../base/errors/errors.js';

/** Where a function is: the URL of its module, and a place in it that counts from 1. */
export interface Frame {
  /** Empty where it has none. */
  readonly name: string;
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

/** dist/: what lies there beside scenarios and topologies is the harness. */
const built = new URL('../../../', import.meta.url).href;
const library = new URL('../node_modules/', built).href;
/** As they were built, and as they were written. */
const own = ['bundle/', 'harness/', 'images/', 'reports/', 'bench/', 'dev/'].flatMap((room) => [
  `${built}${room}`,
  new URL(`../${room}`, built).href,
]);

/**
 * Whether a scenario's code is at work: its own file, what it imports, and the topologies that it
 * builds on.
 */
export function isScenarioCode({ url }: Pick<Frame, 'url'>): boolean {
  return (
    url.startsWith('file:') && !url.startsWith(library) && !own.some((room) => url.startsWith(room))
  );
}

/** Where the innermost of a scenario's code in the stack is; undefined where there is none. */
export function placeInScenario(stack: string | undefined): Place | undefined {
  const innermost = framesOf(isBundle ? writtenStack(stack ?? '') : (stack ?? '')).find(
    isScenarioCode,
  );
  return innermost === undefined
    ? undefined
    : { file: fileURLToPath(innermost.url), line: innermost.line, column: innermost.column };
}

/**
 * The frame of code that runs, as stacks have it: where it was written, before types were stripped.
 */
export function sourceFrameOf({ name, url, line, column }: Frame): Frame {
  const written = findSourceMap(url)?.findEntry(line - 1, column - 1);
  if (written === undefined || !('originalLine' in written)) return { name, url, line, column };
  return {
    name,
    url: new URL(written.originalSource, url).href,
    line: written.originalLine + 1,
    column: written.originalColumn + 1,
  };
}

/** What V8 writes: `at topology (file:///x/y.ts:3:5)`, `at /x/y.cjs:3:5`. */
function framesOf(stack: string): readonly Frame[] {
  return stack.split('\n').flatMap((line) => {
    const [, name = '', where = '', row, column] =
      /^\s+at (?:(?:async )?(.+?) (?:\[as \S+\] )?(?=\())?\(?((?:file:\/\/|\/).*):(\d+):(\d+)\)?$/.exec(
        line,
      ) ?? [];
    return where === ''
      ? []
      : [
          {
            name,
            url: where.startsWith('/') ? `file://${where}` : where,
            line: Number(row),
            column: Number(column),
          },
        ];
  });
}
