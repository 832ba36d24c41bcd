/** The compiled program as a process of its own, as tests start it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const main = fileURLToPath(new URL('main.js', import.meta.url));

export interface Ended {
  /** An exit code, or what ended it: a signal's name. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `flowbed ARGS` in `cwd` to its end, without colours. */
export function flowbedIn(
  cwd: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  return flowbedOf(main, cwd, args, variables);
}

/** The same of the program whose first module is `program`. */
export function flowbedOf(
  program: string,
  cwd: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    FLOWBED_NO_CONFIRM: 'yes', // what diverges here does so on purpose
    ...variables,
  };
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: 1 << 26 };
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? String(error.signal));
      resolve({ code, stdout, stderr });
    });
  });
}
