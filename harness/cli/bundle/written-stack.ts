/** Stacks of the bundle, as they were written. */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** `at readFlow (file:///x/dist/bundle/chunk-5OZ47KO5.js:12:3)`: the place without its row. */
const frame = /file:\/\/\S+?\.js:\d+:\d+/g;

/**
 * A stack with the places of what was compiled, by the map beside each file; a file without one is
 * named as it is. Node maps stacks itself where it is asked before modules are loaded, and takes
 * half as long again to load them.
 */
export function writtenStack(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replace(frame, (at) => {
    const [, url = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(at) ?? [];
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const found = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !('originalLine' in found)) return at;
    const source = new URL(found.originalSource, url).href;
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

function mapOf(url: string): SourceMap | undefined {
  try {
    const text = readFileSync(fileURLToPath(`${url}.map`), 'utf8');
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return undefined; // none is there: the stack names what was loaded
  }
}
