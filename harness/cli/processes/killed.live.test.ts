// Goal: kill -9 of flowbed at any moment, then `flowbed clean`, and no process, socket or folder of
// it is left, nothing of anybody else's is touched, and runs beside it do not notice. Method: the
// compiled program in a project folder and a TMPDIR of its own; 20 seeded moments from the start to
// the end of a run, two victims at a time, each followed by a clean, while whole runs go on beside
// them.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  access,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { randomFor } from '../../base/random.js';
import { currentPlace, thisProcess, type Owner } from '../../ovs/process/owner.js';
import { unfinishedPrefix } from '../../ovs/workspace/unfinished.js';
import { runReport } from '../../run/records/run-report.js';
import { readRunFolder } from '../../run/records/read-run-folder.js';
import { descendantsOf } from './descendants.js';

const seed = 1;
const victims = 20;
const workers = 2;

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const temporary = await mkdtemp('/tmp/killed-');
t.teardown(() => rm(temporary, { recursive: true }));
const project = join(temporary, 'project');
await cp(join(root, 'dist'), join(project, 'dist'), { recursive: true });
await cp(join(root, 'package.json'), join(project, 'package.json'));
await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
const main = join(project, 'dist/harness/cli/main.js');
const scenario = join(temporary, 'small.mjs');
await writeFile(
  scenario,
  `
import { antrea, defineScenario, intentOf, vectors } from 'flowbed';
import { antreaCluster } from 'flowbed/topologies/antrea/antrea-cluster';

export default defineScenario({
  name: 'small',
  title: 'Two nodes with a pod each',
  axes: { tunnel: { values: ['geneve', 'vxlan'], default: ['geneve', 'vxlan'] } },
  topology: ({ tunnel }) => antreaCluster({ nodes: 2, podsPerNode: 1, tunnel }),
  controlPlane: antrea('0.8'),
  vectors: vectors.podToPod,
  intent: intentOf,
});
`,
);
const run = [main, 'run', scenario, '--json'];
const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, TMPDIR: temporary };

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

const flowbed = (args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, args, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

/** A run that nobody disturbs; @returns its trace hash. */
async function wholeRun(t: Pick<Test, 'equal'>): Promise<string> {
  const { code, stdout, stderr } = await flowbed(run);
  t.equal(code, 0, stderr);
  const { verdict, traceHash } = runReport.parse(JSON.parse(stdout));
  t.equal(verdict, 'conforms');
  return traceHash;
}

/** What is there of a flowbed with these process ids. */
async function tracesOf(pids: readonly number[]): Promise<readonly string[]> {
  return (await Promise.all(pids.map(tracesOfOne))).flat();
}

/** Folders, sockets, processes of the process with that id; and it itself. */
async function tracesOfOne(pid: number): Promise<readonly string[]> {
  const mark = join(temporary, `flowbed-${pid}-`);
  const folders = (await readdir(temporary)).filter((name) =>
    join(temporary, name).startsWith(mark),
  );
  const unfinished = (await readdir(join(project, 'runs'))).filter((name) =>
    name.startsWith(`.unfinished-${pid}`),
  );
  const sockets = (await readFile('/proc/net/unix', 'utf8'))
    .split('\n')
    .filter((line) => line.includes(mark));
  const processes: string[] = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const [command, environment] = await Promise.all(
      ['cmdline', 'environ'].map((file) =>
        readFile(`/proc/${name}/${file}`, 'utf8').catch(() => ''),
      ),
    );
    // what has ended has no words any more, whether it was waited for or not
    const runs = command !== '';
    if (
      (name === String(pid) && runs) ||
      command?.includes(mark) === true ||
      environment?.includes(mark) === true
    )
      processes.push(`process ${name} ${command}`);
  }
  return [...folders, ...unfinished, ...sockets, ...processes];
}

/**
 * Starts a run, and kills it `afterMs` later; @returns its process id, and those of the processes
 * that it had started by then.
 */
async function kill(afterMs: number): Promise<readonly number[]> {
  const child = spawn(process.execPath, run, { env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const pid = child.pid ?? 0;
  let started: readonly number[] = [];
  const timer = setTimeout(() => {
    started = descendantsOf(pid).map((descendant) => descendant.pid);
    child.kill('SIGKILL');
  }, afterMs);
  await exited;
  clearTimeout(timer);
  return [pid, ...started];
}

void t.test(`${victims} moments`, async (t) => {
  const lookalike = join(temporary, `flowbed-${process.getuid?.()}-notes`);
  await mkdir(lookalike);
  await writeFile(join(lookalike, 'notes'), 'mine');
  const foreign = spawn('cat', {
    argv0: 'ovs-vswitchd',
    env: { ...process.env, OVS_RUNDIR: lookalike },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const foreignEnded = once(foreign, 'exit');

  const startedMs = performance.now();
  const hashes = await Promise.all(Array.from({ length: workers + 1 }, () => wholeRun(t)));
  const lengthMs = Math.round(performance.now() - startedMs);
  t.equal(
    new Set(hashes).size,
    1,
    `${hashes.length} runs at once see the same; they take ${lengthMs} ms`,
  );

  const random = randomFor(seed, 'moments');
  const moments = Array.from({ length: victims }, () => random.integer(0, lengthMs));
  const withTraces: number[] = [];
  let workersLeft = workers;
  const worker = async () => {
    for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
      const pids = await kill(moment);
      if ((await tracesOf(pids)).length > 0) withTraces.push(pids[0] ?? 0);
      const { code, stderr } = await flowbed([main, 'clean']);
      t.equal(code, 0, stderr);
      t.same(await tracesOf(pids), [], `killed after ${moment} ms`);
    }
    workersLeft--;
  };
  let beside = 0;
  const bystander = async () => {
    for (; workersLeft > 0; beside++)
      t.equal(await wholeRun(t), hashes[0], 'a run beside the dying ones');
  };
  await Promise.all([...Array.from({ length: workers }, worker), bystander()]);
  t.ok(withTraces.length > victims / 10, `${withTraces.length} victims left something behind`);
  t.ok(beside > 3, `${beside} whole runs went on meanwhile`);

  const [dead = 0] = withTraces;
  const halfWritten = async (owner: Owner) =>
    await mkdtemp(join(project, 'runs', unfinishedPrefix(owner)));
  const [left, going] = [
    await halfWritten({ pid: dead, startTime: '1', place: currentPlace() }),
    await halfWritten(await thisProcess()),
  ];
  t.match(await flowbed([main, 'clean']), {
    code: 0,
    stdout: `removed the half-written run ${left}`,
  });
  await access(going);
  const abroad = await halfWritten({ pid: dead, startTime: '1', place: 'other' });
  t.match(await flowbed([main, 'clean']), { code: 0, stdout: `left ${abroad}: ` });
  await access(abroad);
  t.match(await flowbed([main, 'clean', '--elsewhere']), {
    code: 0,
    stdout: `removed the half-written run ${abroad}`,
  });
  const numbers = (await readdir(join(project, 'runs')))
    .filter((name) => !name.startsWith('.'))
    .map(Number)
    .sort((a, b) => a - b);
  t.same(
    numbers,
    numbers.map((_, index) => index + 1),
    'runs are numbered without a gap',
  );
  for (const number of numbers)
    t.match(
      await readRunFolder(project, String(number)),
      { report: { traceHash: hashes[0] } },
      `run ${number} is whole`,
    );

  t.equal(
    foreign.exitCode ?? foreign.signalCode,
    null,
    'a process with OVS_RUNDIR that is not ours lives',
  );
  t.equal(
    await readFile(join(lookalike, 'notes'), 'utf8'),
    'mine',
    "a folder named alike that is nobody's is whole",
  );
  foreign.stdin?.end();
  await foreignEnded;
});
