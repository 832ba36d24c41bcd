// Goal: whatever comes and goes in the host's network, a run ends with the verdict and the trace of
// a quiet one; where the switches cannot be kept apart from it, with those, or without a verdict
// and with the true reason. Method: the compiled program in a network namespace, which stands for
// the host, while links, addresses and routes come and go in it from before its switches come up
// until it ends.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { isolation } from '../../ovs/process/isolation.js';
import { runReport } from '../../run/records/run-report.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));
const elsewhere = t.testdir({});

/** Runs its arguments while a link with an address, another address and a route come and go. */
const disturbed = `
  ip link set lo up || exit 99
  "$@" & run=$!
  n=0
  while kill -0 $run 2>/dev/null; do
    n=$(( (n + 1) % 200 ))
    ip -batch - <<END || exit 98
      address add 10.99.0.$((n + 1))/24 dev lo
      link add veth$n type veth peer name peer$n
      address add 10.98.$n.1/24 dev veth$n
      link set veth$n up
      route add 10.97.$n.0/24 dev lo
      route del 10.97.$n.0/24
      link del veth$n
      address del 10.99.0.$((n + 1))/24 dev lo
END
  done
  wait $run`;

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function start(command: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      {
        cwd: elsewhere,
        env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...variables },
        maxBuffer: 1 << 26,
      },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const run = [process.execPath, main, 'run', 'antrea/encap', '--passes', 'cold', '--json'];
/**
 * The host of a run. As an ordinary user it is one's own within a user namespace, where one may
 * change links.
 */
const host =
  process.getuid?.() === 0
    ? ['unshare', '--net', '--']
    : ['unshare', '--user', '--map-root-user', '--net', '--'];
const refused = await start([
  ...host,
  'ip',
  'link',
  'add',
  'veth0',
  'type',
  'veth',
  'peer',
  'name',
  'peer0',
]);

void t.test(
  'a run while the network of its host changes',
  { skip: refused.code === 0 ? false : `no network to disturb: ${refused.stderr}` },
  async (t) => {
    const reportOf = ({ stdout }: Ended) => runReport.parse(JSON.parse(stdout));
    const quiet = await start(run);
    t.equal(quiet.code, 0, quiet.stderr);
    const { traceHash } = reportOf(quiet);

    await t.test('switches that are kept apart from it do not notice', async (t) => {
      t.match(await isolation(), { network: 'own' });
      const ended = await start([...host, 'sh', '-c', disturbed, 'sh', ...run]);
      t.equal(ended.code, 0, ended.stderr);
      t.match(reportOf(ended), { verdict: 'conforms', traceHash, isolation: { network: 'own' } });
    });

    await t.test('switches that share it are given again what it made them forget', async (t) => {
      const ended = await start([...host, 'sh', '-c', disturbed, 'sh', ...run], {
        FLOWBED_ISOLATION: 'none',
      });
      const report = reportOf(ended);
      t.match(report.isolation, { network: 'shared with the host', why: 'FLOWBED_ISOLATION=none' });
      if (ended.code === 0) return void t.match(report, { verdict: 'conforms', traceHash });
      t.equal(ended.code, 3, ended.stderr);
      const left = report.scenarios
        .flatMap(({ vectors }) => vectors)
        .filter(({ verdict }) => verdict !== 'conforms');
      for (const { inconclusive } of left)
        t.match(inconclusive, {
          cause: /^a link, an address or a route of this machine came or went/,
        });
    });
  },
);
