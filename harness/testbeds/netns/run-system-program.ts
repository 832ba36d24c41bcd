import { execFile } from 'node:child_process';
import { Unavailable } from '../../base/errors/errors.js';

/** What a program of the system prints. @throws Unavailable with its words where it fails. */
export async function runSystemProgram(
  owner: string,
  [file, ...args]: readonly [string, ...string[]],
  input = '',
): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
    const child = execFile(file, args, { env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new Unavailable(
            `${owner}: ${[file, ...args].join(' ')} failed`,
            ['./flowbed doctor lists what backend netns needs'],
            [...stderr.trim().split('\n'), ...input.trim().split('\n').slice(0, 10)],
          ),
        );
    });
    child.stdin?.on('error', () => undefined); // it ended before it read: it says so itself
    child.stdin?.end(input);
  });
}
