import { execFile } from 'node:child_process';
import type { Image, Program } from './image.js';

/** How a program ended. `failure` is undefined when it exited with 0, else what it said last, or why it could not run. */
export interface Ended {
  readonly stdout: string;
  readonly failure: string | undefined;
}

const longestOutput = 256 * 1024 * 1024;

/**
 * Runs a program of `image` to its end with `input` on its stdin. By node:child_process: there is one for every
 * bridge, and execa takes 7 ms more for each.
 */
export async function runProgram(image: Image, program: Program, args: readonly string[], input = ''): Promise<Ended> {
  const [file, ...first] = image.command(program);
  return await new Promise((resolve) => {
    const child = execFile(file, [...first, ...args], { env: { PATH: process.env['PATH'], LC_ALL: 'C' }, maxBuffer: longestOutput }, (error, stdout, stderr) => {
      resolve({ stdout, failure: error === null ? undefined : stderr.trim() || error.message });
    });
    child.stdin?.on('error', () => undefined); // it ended without reading all: its exit says why
    child.stdin?.end(input);
  });
}
