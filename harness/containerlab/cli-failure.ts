/**
 * Why containerlab failed. It writes its log to stderr, and the error as text behind it: on a
 * terminal in a box under the word ERROR, elsewhere as it is.
 */
import type { ExecaError } from 'execa';
import { Unavailable } from '../base/errors/errors.js';
import { stripVTControlCharacters } from 'node:util';

/** The error that stderr ends with, on one line; undefined where there is none. */
export function failureOf(stderr: string): string | undefined {
  const lines = stripVTControlCharacters(stderr)
    .split('\n')
    .map((line) => line.trim());
  const box = lines.lastIndexOf('ERROR');
  const error = (box === -1 ? lines.filter((line) => !isLog(line)) : lines.slice(box + 1))
    .filter((line) => line !== '' && !/^Try\s+--help\s+for usage\.$/.test(line))
    .join(' ');
  return error === '' ? undefined : error;
}

/** `12:00:01 INFO Parsing topology …`, and attributes of such a line below it. */
function isLog(line: string): boolean {
  return /^(\d\d:\d\d:\d\d )?(DEBU|INFO|WARN|ERRO|FATA)\b/.test(line) || /^[│|] /.test(line);
}

/** A command that failed, or that was killed after its limit. */
export function commandFailure(
  error: ExecaError,
  program: string,
  args: readonly string[],
  limitMs: number,
): Unavailable {
  const command = args.find((word) => !word.startsWith('-')) ?? '';
  if (error.code === 'ENOENT')
    return new Unavailable(`${program} is not installed`, [
      'install it: https://containerlab.dev/install/',
    ]);
  const stderr = String(error.stderr);
  const why = error.timedOut
    ? `it was killed after ${limitMs / 1000} s`
    : (failureOf(stderr) ?? error.originalMessage ?? error.shortMessage);
  return new Unavailable(
    `containerlab ${command}: ${why}`,
    [`run it by hand: ${error.command}`],
    stderr
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-15),
  );
}
