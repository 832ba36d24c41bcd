/** The plugin as a runtime runs it. */
import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface Said {
  /** The exit code, or the signal that ended it. */
  readonly code: number | string;
  /** What it has printed, decoded; empty where it has printed nothing. */
  readonly answer: Readonly<Record<string, unknown>>;
}

const main = fileURLToPath(new URL('../../../../programs/ovn_cni', import.meta.url));
const watcher = fileURLToPath(new URL('../../../../programs/ovn_watcher', import.meta.url));

/** @param prefix the program and arguments that start it, such as those of nsenter(1). */
export async function runPlugin(
  env: Readonly<Record<string, string>>,
  stdin: string,
  prefix: readonly string[] = [],
): Promise<Said> {
  return await run([...prefix, process.execPath, main], env, stdin);
}

/** The watcher, once. */
export async function runSync(northbound: string, objects: object): Promise<Said> {
  const command = [process.execPath, watcher, 'sync', '--northbound', northbound];
  return await run(command, {}, JSON.stringify(objects));
}

/** `ovn_cni init`, with what it has printed for people. */
export async function runInit(
  args: readonly string[],
): Promise<{ readonly code: number; readonly stderr: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [main, 'init', ...args], (error, _, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stderr });
    });
  });
}

async function run(
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: string,
): Promise<Said> {
  const child = spawn(file, args, { env: { PATH: process.env['PATH'], ...env } });
  child.stdin.on('error', () => undefined); // it ended without reading
  child.stdin.end(stdin);
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 'unknown'));
  });
  const [said, code] = await Promise.all([text(child.stdout), exited]);
  const answer = said === '' ? {} : (JSON.parse(said) as Said['answer']);
  return { code, answer };
}
