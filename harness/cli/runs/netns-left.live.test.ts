/**
 * Goal: whatever ends a run on network namespaces, and whenever, no process, namespace, link, rule
 * or folder of it is left. Method: the compiled program with a TMPDIR of its own, ended by SIGKILL
 * or SIGINT at seeded moments (FLOWBED_MOMENTS of them); what it had started is looked for
 * afterwards, by process and by namespace.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { until } from '../../base/concurrency/until.js';
import { randomFor } from '../../base/random.js';
import { descendantsOf } from '../processes/descendants.js';

const seed = 1;
const moments = Number(process.env['FLOWBED_MOMENTS'] ?? 6);

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const main = join(root, 'dist/harness/cli/main.js');
const temporary = await mkdtemp('/tmp/netns-');
t.teardown(() => rm(temporary, { recursive: true }));
const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, TMPDIR: temporary };
const skip = process.getuid?.() === 0 ? false : 'not root';

/** The network namespaces of these processes, other than ours. */
function namespacesOf(pids: readonly number[]): ReadonlySet<string> {
  const ours = readlinkSync('/proc/self/ns/net');
  return new Set(pids.flatMap(namespaceOf).filter((namespace) => namespace !== ours));
}

function namespaceOf(pid: number | string): readonly string[] {
  try {
    return [readlinkSync(`/proc/${pid}/ns/net`)];
  } catch {
    return [];
  }
}

/** Those of them that some process is in. */
function alive(namespaces: ReadonlySet<string>): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => namespaceOf(pid))
    .filter((namespace) => namespaces.has(namespace));
}

const runs = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') !== '';
  } catch {
    return false;
  }
};

const machine = () => [
  execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' }),
  execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }),
  execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' }),
  execFileSync('cat', ['/proc/sys/net/ipv4/ip_forward'], { encoding: 'utf8' }),
];

void t.test(`${moments} moments`, { skip }, async (t) => {
  const before = machine();
  const args = [main, 'run', 'antrea/encap', '--backend', 'netns', '--passes', 'cold', '--json'];
  const startedMs = performance.now();
  execFileSync(process.execPath, args, { env, stdio: 'ignore' });
  const longestMs = Math.round(performance.now() - startedMs);
  const random = randomFor(seed, 'moments');
  let [met, folders] = [0, 0];
  for (let round = 0; round < moments; round++) {
    const [afterMs, signal] = [
      random.integer(0, longestMs),
      round % 5 < 3 ? 'SIGKILL' : 'SIGINT',
    ] as const;
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    const exited = once(child, 'exit');
    let started: readonly number[] = [];
    let namespaces: ReadonlySet<string> = new Set();
    const timer = setTimeout(() => {
      started = descendantsOf(child.pid ?? 0).map(({ pid }) => pid);
      namespaces = namespacesOf(started);
      child.kill(signal);
    }, afterMs);
    await exited;
    clearTimeout(timer);
    met = Math.max(met, namespaces.size);
    await until(`all of a run to be gone, ended by ${signal} after ${afterMs} ms`, 10_000, () =>
      Promise.resolve([
        ...started.filter(runs).map((pid) => `process ${pid} runs`),
        ...alive(namespaces).map((namespace) => `${namespace} is there`),
      ]),
    );
    folders += readdirSync(temporary).length;
    execFileSync(process.execPath, [main, 'clean'], { env });
    t.strictSame(readdirSync(temporary), [], `${signal} after ${afterMs} ms`);
  }
  t.ok(met >= 8, `a run that was ended had ${met} namespaces`);
  t.ok(folders > 0, `${folders} folders were left to clean`);
  t.strictSame(machine(), before);
  t.notOk(existsSync('/run/netns/n1'));
});
