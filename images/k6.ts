/** k6, built once from its Go module where it is not on PATH: no registry ships the program. */
import { join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import { onPath } from '../harness/base/files/on-path.js';
import { cacheFolder } from './cache.js';
import { execute } from './execute.js';
import { cachedAndRecorded, recordedFolder } from './recorded-folder.js';

export const k6Version = '1.8.1';

/** Its end is raised when the way in which it is made changes. */
const folderName = `k6-${k6Version}-2`;
const remedies = [
  './flowbed image build k6, where Go 1.25 or newer is: it is compiled once, in about 5 minutes',
  'or install it so that it is on PATH: https://grafana.com/docs/k6/latest/set-up/install-k6/',
];

/**
 * The program on PATH, or the one that was built here; undefined where there is neither.
 * @throws Unavailable where it is not as it was built.
 */
export async function k6Program(cache = cacheFolder()): Promise<string | undefined> {
  const found = await onPath('k6');
  if (found !== undefined) return found;
  const folder = await recordedFolder(cache, folderName);
  return folder === undefined ? undefined : join(folder, 'k6');
}

/** @throws Unavailable that says how it is to be had. */
export async function openK6(): Promise<string> {
  const program = await k6Program();
  if (program === undefined)
    throw new Unavailable('there is no k6, on PATH or built here', remedies);
  return program;
}

/** As it says itself: `1.8.1`. @throws Unavailable where it does not. */
export async function versionOfK6(program: string): Promise<string> {
  const said = await execute(program, ['version'], { purpose: 'say its version', remedies });
  const version = /v(\d+\.\d+\.\d+)/.exec(said)?.[1];
  if (version === undefined)
    throw new Unavailable(`${program} says no version that is known`, remedies, [said]);
  return version;
}

/**
 * Builds it into the cache: three minutes of processor time, 1 GB of memory.
 * @throws Unavailable with what go has said last.
 */
export async function buildK6(say: (line: string) => void, cache = cacheFolder()): Promise<string> {
  const folder = await cachedAndRecorded(cache, folderName, async (folder) => {
    say(`building k6 ${k6Version} with Go (once, about 5 minutes)…`);
    await execute(
      'go',
      ['install', '-trimpath', '-ldflags', '-s -w', `go.k6.io/k6@v${k6Version}`],
      {
        purpose: 'build k6',
        cwd: folder,
        env: { GOBIN: folder, GOFLAGS: '', GOTOOLCHAIN: 'local' },
        remedies: ['it needs Go 1.25 or newer, and a proxy of Go modules: go env GOPROXY'],
        limitMs: 60 * 60_000,
      },
    );
  });
  return join(folder, 'k6');
}
