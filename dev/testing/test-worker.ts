/**
 * A program that plays compiled test files, one after the other: what tap and they load is loaded
 * once.
 */
// What tap is made of, in its order: tap itself would take the program for a test.
import '@tapjs/core';
import { Test } from '@tapjs/test';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { beginFile } from './begin-file.js';

/** A file to be played; tap ends a test in it that takes longer than `limitMs`, and names it. */
export interface TestRequest {
  readonly file: string;
  readonly limitMs: number;
}

/** What a file says in TAP, piece by piece, and that it has ended. */
export type TestResponse =
  | { readonly kind: 'tap'; readonly text: string }
  | { readonly kind: 'end' };

register('./tap-import-hook.js', import.meta.url);

process.on('message', ({ file, limitMs }: TestRequest) => {
  const test = new Test({
    name: file,
    timeout: limitMs,
    cb: async (t: Test) => {
      beginFile(t);
      await import(pathToFileURL(file).href);
    },
  });
  test.on('data', (text: string) => respond({ kind: 'tap', text: String(text) }));
  test.runMain(() => {
    test.setTimeout(0);
    respond({ kind: 'end' });
  });
});

function respond(response: TestResponse): void {
  process.send?.(response);
}
