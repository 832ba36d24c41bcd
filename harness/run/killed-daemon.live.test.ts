/**
 * Goal: a daemon that dies in the middle of a run makes it inconclusive, with the daemon's last
 * words, at once; it is never a pass and never a hang, and nothing is left over. Method: kill -9
 * one ovs-vswitchd, and one ovsdb-server, among vectors that cross nodes.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import t from 'tap';
import { openImage } from '../../images/images.js';
import encap from '../../scenarios/antrea/encap.js';
import { withDeadline } from '../base/concurrency/deadline.js';
import { openSim } from '../testbeds/sim/sim.js';
import { type OvsSwitches } from '../testbeds/ovs-switches.js';
import { runScenario } from './run-scenario.js';

const temporary = await mkdtemp('/tmp/killed-');
process.env['TMPDIR'] = temporary;
t.teardown(() => rm(temporary, { recursive: true }));
const image = await openImage('trixie', (line) => t.comment(line));

const killedAt = 4;
const vectors = 9;
const limitMs = 30_000;

for (const daemon of ['vswitchd', 'server'] as const) {
  void t.test(
    `the ${daemon === 'server' ? 'ovsdb-server' : 'ovs-vswitchd'} of the second node is killed`,
    async (t) => {
      let sim: OvsSwitches | undefined;
      const work = runScenario(
        encap,
        { nodes: '2', tunnel: 'geneve' },
        {
          seed: 1,
          nowMs: () => 0,
          only: ({ id }) => /^ping\/p[123]\/p[456]$/.test(id),
          openReal: async (plan) => (sim = await openSim(plan, image)),
          onProgress: (done) => {
            const pid = sim?.daemons.get('n2')?.[daemon];
            if (done === killedAt && pid !== undefined) process.kill(pid, 'SIGKILL');
          },
        },
      );
      const { report } = await withDeadline(work, limitMs, 'a run with a dead daemon to end');
      t.equal(report.verdict, 'inconclusive');
      t.strictSame(
        report.vectors.map(({ verdict }) => verdict),
        Array.from({ length: vectors }, (_, index) =>
          index < killedAt ? 'conforms' : 'inconclusive',
        ),
      );
      const { cause, evidence } = report.vectors[killedAt]?.inconclusive ?? {
        cause: '',
        evidence: [],
      };
      t.match(
        cause,
        daemon === 'server'
          ? /^ovsdb-server of node n2 was ended by SIGKILL$/
          : /^ovs-vswitchd of node n2 was ended by SIGKILL$/,
      );
      if (daemon === 'vswitchd')
        t.match(evidence.at(-1), /^\d{4}-.*\|/, `${evidence.length} last lines of its log`);
      t.strictSame(
        report.vectors.at(-1)?.inconclusive,
        report.vectors[killedAt]?.inconclusive,
        'for all that comes after',
      );
      for (const aspect of ['intent', 'frames', 'silence', 'counters'] as const)
        t.ok(
          report.counts[aspect].made > 0 &&
            report.counts[aspect].made < report.counts[aspect].expected,
          aspect,
        );
      t.strictSame(await leftovers(), []);
    },
  );
}

/** Folders that are still there, and processes whose command line names one of them. */
async function leftovers(): Promise<readonly string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return [
    ...(await readdir(temporary)),
    ...commands.filter((command) => command.includes(temporary)),
  ];
}
