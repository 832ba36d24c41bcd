/** A program in the namespace of a host, that is asked by lines and answers by lines. */
import { createInterface } from 'node:readline';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { spawnPerl } from '../spawn-perl.js';
import { Unavailable } from '../../base/errors/errors.js';

export interface LineProgram {
  /** Resolves with the lines before the one that is `last`. */
  until(last: string): Promise<readonly string[]>;
  write(line: string): void;
  /** Closes its standard input; resolves with the lines that were not taken before it ended. */
  end(): Promise<readonly string[]>;
  kill(): void;
}

const limitMs = 120_000;

/** @param place the process that holds the namespace. */
export function startLineProgram(
  name: string,
  place: number,
  program: string,
  args: readonly string[],
): LineProgram {
  const { child, complaints } = spawnPerl(place, program, args);
  const lines: string[] = [];
  let [over, wake] = [undefined as string | undefined, () => undefined as void];
  const gone = (how: string) => {
    over ??= how;
    wake();
  };
  child.once('error', (error) => gone(`cannot be started: ${error.message}`));
  child.once('close', (code) => gone(`ended with ${code}`));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  const waitFor = (isThere: () => boolean, what: string) =>
    withDeadline(
      new Promise<void>((resolve) => {
        wake = () => {
          if (isThere() || over !== undefined) resolve();
        };
        wake();
      }),
      limitMs,
      `${name}: ${what}`,
    );
  return {
    until: async (last) => {
      await waitFor(() => lines.includes(last), `the line "${last}"`);
      const at = lines.indexOf(last);
      if (at < 0) throw new Unavailable(`${name} ${over}, before it was done`, [], complaints());
      return lines.splice(0, at + 1).slice(0, -1);
    },
    write: (line) => void child.stdin.write(`${line}\n`),
    end: async () => {
      child.stdin.end();
      await waitFor(() => false, 'its end');
      return lines.splice(0);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
