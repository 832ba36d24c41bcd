// Goal: nothing of what surrounds a run turns it: variables, what is on PATH, limits, /etc, clocks,
// processors. Method: the compiled program in each of these surroundings, with a scenario of two
// nodes; it conforms, and its trace is that of a run as it is. All variables
// are set at once; so are folder, umask, limits and priority.
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { runReport } from '../../run/records/run-report.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));
const elsewhere = t.testdir({
  'small.mjs': `
    import { antrea, defineScenario, intentOf, vectors } from 'flowbed';
    import { antreaCluster } from 'flowbed/topologies/antrea/antrea-cluster';
    export default defineScenario({
      name: 'small',
      title: 'Two nodes with two pods each',
      axes: {},
      topology: () => antreaCluster({ nodes: 2, podsPerNode: 2, tunnel: 'geneve' }),
      controlPlane: antrea('0.8'),
      vectors: vectors.podToPod,
      intent: intentOf,
    });`,
});
const scenario = join(elsewhere, 'small.mjs');

interface Surroundings {
  readonly what: string;
  readonly variables?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** What starts the program, which is `"$@"`. */
  readonly shell?: string;
  /** Only where this may be done. */
  readonly needs?: string;
}

const cache = {
  FLOWBED_CACHE:
    process.env['FLOWBED_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'flowbed'),
};

/** Programs of these names are first on PATH, and print and fail. */
const shadowed = [
  'ovs-vswitchd',
  'ovsdb-server',
  'ovsdb-tool',
  'ovs-ofctl',
  'ovs-appctl',
  'setpriv',
  'sh',
  'unshare',
  'readlink',
];
const shadows = await mkdtemp('/tmp/shadows-');
t.teardown(() => rm(shadows, { recursive: true }));
for (const name of shadowed) {
  await writeFile(join(shadows, name), '#!/bin/sh\necho shadow of a program; exit 1\n');
  await chmod(join(shadows, name), 0o755);
}

/** A copy of /etc with what Open vSwitch might inspect there, to be put in its place. */
const etc = await mkdtemp('/tmp/etc-');
t.teardown(() => rm(etc, { recursive: true }));
await cp('/etc', etc, {
  recursive: true,
  verbatimSymlinks: true,
  filter: (path) => path !== '/etc/localtime',
}).catch(() => undefined);
await mkdir(join(etc, 'openvswitch'), { recursive: true });
for (const file of [
  'openvswitch/conf.db',
  'openvswitch/system-id.conf',
  'openvswitch/default.conf',
  'localtime',
  'resolv.conf',
  'mtab',
]) {
  await rm(join(etc, file), { force: true });
  await writeFile(join(etc, file), 'nothing of the kind\n');
}

const mounting =
  process.getuid?.() === 0 ? 'unshare --mount --' : 'unshare --user --map-root-user --mount --';
const timing =
  process.getuid?.() === 0 ? 'unshare --time' : 'unshare --user --map-root-user --time';

const all: readonly Surroundings[] = [
  {
    what: 'variables of the locale, of Open vSwitch, OVN, the loader, malloc, Node.js; PATH; HOME',
    variables: {
      TZ: 'Pacific/Chatham',
      LANG: 'tr_TR.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      LC_NUMERIC: 'de_DE.UTF-8',
      LANGUAGE: 'tr',
      OVS_RUNDIR: '/nowhere',
      OVS_LOGDIR: '/nowhere',
      OVS_DBDIR: '/nowhere',
      OVS_SYSCONFDIR: '/nowhere',
      OVS_PKGDATADIR: '/nowhere',
      OVS_BINDIR: '/nowhere',
      OVS_SYSLOG_METHOD: 'udp:127.0.0.1:514',
      OVS_RESOLV_CONF: '/nowhere',
      OVS_UNBOUND_CONF: '/nowhere',
      OVS_CTL_TIMEOUT: '1',
      OVS_COLORS: 'ac=1',
      OVN_RUNDIR: '/nowhere',
      OVN_DBDIR: '/nowhere',
      OVN_NB_DB: 'tcp:127.0.0.1:1',
      OVN_SB_DB: 'tcp:127.0.0.1:1',
      LD_BIND_NOW: '1',
      GLIBC_TUNABLES: 'glibc.malloc.perturb=165',
      MALLOC_PERTURB_: '165',
      NODE_OPTIONS: '--max-old-space-size=600 --stack-trace-limit=1 --no-warnings',
      NODE_ENV: 'production',
      PATH: `${shadows}:${process.env['PATH'] ?? ''}`,
      HOME: '/nowhere',
      XDG_CACHE_HOME: '/nowhere',
      XDG_RUNTIME_DIR: '/nowhere',
      ...cache,
    },
  },
  {
    what: 'another folder, a umask, limits, little to do by priority',
    cwd: '/',
    shell:
      'umask 077; ulimit -c unlimited; ulimit -s 1024; ulimit -l 0; ulimit -n 512; ' +
      'exec nice -n 19 "$@"',
  },
  { what: 'one processor', shell: 'exec taskset -c 0 "$@"', needs: 'taskset -c 0 true' },
  {
    what: '/etc',
    shell: `exec ${mounting} sh -c 'mount --bind ${etc} /etc && exec "$@"' sh "$@"`,
    needs: `${mounting} mount --bind ${etc} /etc`,
  },
  {
    what: 'clocks that stand elsewhere',
    shell: `exec ${timing} --monotonic 100000000 --boottime 100000000 -- "$@"`,
    needs: `${timing} --monotonic 100 -- true`,
  },
];

async function started(
  file: string,
  args: readonly string[],
  { variables = {}, cwd = elsewhere }: Omit<Surroundings, 'what'> = {},
) {
  return await new Promise<{
    readonly code: unknown;
    readonly stdout: string;
    readonly stderr: string;
  }>((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...variables };
    execFile(file, args, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

async function run(surroundings: Omit<Surroundings, 'what'>) {
  const shell = surroundings.shell ?? 'exec "$@"';
  const { code, stdout, stderr } = await started(
    '/bin/sh',
    ['-c', shell, 'sh', process.execPath, main, 'run', scenario, '--json'],
    surroundings,
  );
  const report = code === 0 ? runReport.parse(JSON.parse(stdout)) : undefined;
  return { code, stderr, isolation: report?.isolation?.network, traceHash: report?.traceHash };
}

const asItIs = await run({});
t.equal(asItIs.code, 0, asItIs.stderr);

for (const surroundings of all) {
  const refused =
    surroundings.needs === undefined
      ? undefined
      : await started('/bin/sh', ['-c', surroundings.needs]);
  void t.test(
    surroundings.what,
    { skip: refused === undefined || refused.code === 0 ? false : refused.stderr },
    async (t) => {
      const { stderr, ...ended } = await run(surroundings);
      t.match(ended, { code: 0, traceHash: asItIs.traceHash, isolation: asItIs.isolation }, stderr);
    },
  );
}
