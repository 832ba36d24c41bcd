/**
 * Whether anything that happens beside a run changes its verdict: many runs, two at a time, on a
 * host whose links, addresses and routes come and go, whose daemons are stopped and whose tmpfs is
 * full for a moment. Prints what they came to (docs/reliability.md). `node
 * dist/bench/reruns/reruns.js [--count N] [--first N] [--seed N] [--file PATH] [--isolation none]`.
 * Exits 0 when every run ended as it has to, 1 when one did not, 2 for a wrong request, 3 where no
 * host can be made.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { mapConcurrently } from '../../harness/base/concurrency/map-concurrently.js';
import { InputError } from '../../harness/base/errors/errors.js';
import { within } from '../../harness/base/files/path-part.js';
import { disturbancesOf, withLaterChanges } from './disturbances.js';
import { disturb } from './disturb-host.js';
import { runOnce, rerun, type Rerun } from './rerun.js';
import { isSound, tally } from './tally.js';
import { scratchFolder } from '../../harness/ovs/workspace/workspace.js';

const program = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const runsAtOnce = 2;
const tmpfsSize = '64m';

interface Campaign {
  readonly first: number;
  readonly count: number;
  readonly seed: number;
  readonly file: string;
  readonly isolation: Rerun['isolation'];
}

/** @throws InputError naming the option and its value. */
function campaignOf(args: readonly string[]): Campaign {
  const { values } = parseArgs({
    args: [...args],
    options: {
      first: { type: 'string', default: '1' },
      count: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      file: { type: 'string', default: 'reruns.jsonl' },
      isolation: { type: 'string' },
    },
  });
  const number = (name: 'first' | 'count' | 'seed') => {
    if (!/^[1-9]\d{0,8}$/.test(values[name]))
      throw new InputError(`--${name}: expected a number from 1 on, got "${values[name]}"`);
    return Number(values[name]);
  };
  const { file, isolation } = values;
  if (isolation !== undefined && isolation !== 'none')
    throw new InputError(`--isolation: expected none, got "${isolation}"`);
  return {
    first: number('first'),
    count: number('count'),
    seed: number('seed'),
    file,
    isolation: isolation ?? 'where it can be',
  };
}

/** What is in the file already. @throws InputError where it is of another campaign. */
async function resultsIn({ file, seed, isolation }: Campaign): Promise<readonly Rerun[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const runs = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => rerun.parse(JSON.parse(line)));
  const other = runs.find((run) => run.seed !== seed || run.isolation !== isolation);
  if (other === undefined) return runs;
  throw new InputError(
    `seed ${other.seed} and isolation ${other.isolation} were others: name another file by --file`,
    { file },
  );
}

/** In a host of its own: what it mounts and makes there, nobody else sees. */
async function runCampaign(campaign: Campaign, folder: string): Promise<number> {
  const host = { tmpfs: join(folder, 't'), otherTmpfs: join(folder, 'o') };
  const variables = {
    TMPDIR: host.tmpfs,
    ...(campaign.isolation === 'none' ? { FLOWBED_ISOLATION: 'none' } : {}),
  };
  for (const tmpfs of Object.values(host)) {
    await mkdir(tmpfs);
    await promisify(execFile)('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${tmpfsSize}`,
      'flowbed-reruns',
      tmpfs,
    ]);
  }
  await promisify(execFile)('ip', ['link', 'set', 'lo', 'up']);
  const projects = await Promise.all(
    Array.from({ length: runsAtOnce }, (_, index) => copyOfBuild(within(folder, `p${index}`))),
  );

  const quiet = await runOnce(projects[0] ?? '', variables);
  if (quiet.exit !== 0 || quiet.traceHash === undefined)
    throw new Error(`a run that nobody disturbed ended with ${quiet.exit}: ${quiet.printed}`);
  const { traceHash } = quiet;
  console.log(`the trace of a quiet run: ${traceHash}`);

  const done = await resultsIn(campaign);
  const wanted = Array.from({ length: campaign.count }, (_, index) => campaign.first + index);
  const left = wanted.filter((run) => !done.some((other) => other.run === run));
  const disturbances = campaign.isolation === 'none' ? withLaterChanges : disturbancesOf;
  const results = await mapConcurrently(runsAtOnce, left, async (run): Promise<Rerun> => {
    const project = projects.pop() ?? '';
    const started = performance.now();
    const playing = runOnce(project, variables);
    const carried = await disturb(host, disturbances(campaign.seed, run), playing);
    const { printed, ...ended } = await playing;
    projects.push(project);
    const result: Rerun = {
      run,
      seed: campaign.seed,
      isolation: campaign.isolation,
      ...ended,
      reasons: [...ended.reasons],
      ms: Math.round(performance.now() - started),
      carried: { ...carried },
    };
    await appendFile(campaign.file, `${JSON.stringify(result)}\n`);
    if (!isSound(result, traceHash)) await writeFile(printedBy(run, campaign), printed);
    if (result.exit !== 0)
      console.log(`run ${run}: exit ${result.exit}: ${result.reasons.join('; ')}`);
    return result;
  });
  const all = [...done.filter(({ run }) => wanted.includes(run)), ...results];
  console.log(`\n${tally(all, traceHash)}`);
  return all.every((run) => isSound(run, traceHash)) ? 0 : 1;
}

/** Where what a run printed is kept, beside the file of results. */
function printedBy(run: number, { file }: Campaign): string {
  return within(dirname(file), basename(file), `.run-${run}.txt`);
}

/** So that a build beside changes nothing, and each run's folder is its own. */
async function copyOfBuild(project: string): Promise<string> {
  await cp(join(root, 'dist'), join(project, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(project, 'package.json'));
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  return project;
}

/**
 * The same program in a network and a mount namespace of its own, which are the host of the runs.
 * @returns its exit code.
 */
async function inHostOfItsOwn(args: readonly string[]): Promise<number> {
  const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const host = [...asUser, '--net', '--mount', '--'];
  const refused = await promisify(execFile)('unshare', [...host, 'ip', 'link', 'show']).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refused !== undefined) {
    console.error(
      `no network can be made that may be disturbed, and this machine's is not: ${refused}`,
    );
    return 3;
  }
  // Not in TMPDIR: runs would keep their folders elsewhere than in a tmpfs whose path is long.
  const folder = await scratchFolder();
  try {
    const child = spawn('unshare', [...host, process.execPath, program, ...args], {
      stdio: 'inherit',
      env: { ...process.env, RERUNS_FOLDER: folder },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  const args = process.argv.slice(2);
  const campaign = campaignOf(args);
  const folder = process.env['RERUNS_FOLDER'];
  process.exitCode =
    folder === undefined ? await inHostOfItsOwn(args) : await runCampaign(campaign, folder);
} catch (error) {
  console.error(error instanceof InputError ? error.message : error);
  process.exitCode = error instanceof InputError ? 2 : 70;
}
