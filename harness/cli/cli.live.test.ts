// Goal: the command line does what README says, as a person meets it: exit codes, messages, JSON,
// Ctrl-C, one's own scenarios. Method: the compiled program as a process of its own, with real
// switches, in a folder outside the project.
import { exec, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t from 'tap';
import { runReport } from '../run/records/run-report.js';
import { descendantsOf } from './processes/descendants.js';
import { flowbedIn, main } from './flowbed-process.js';

const elsewhere = t.testdir({});
const flowbed = (...args: readonly string[]) => flowbedIn(elsewhere, args, { TMPDIR: tmpdir() });
const flowbedWith = (variables: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  flowbedIn(elsewhere, args, { TMPDIR: tmpdir(), ...variables });

const learning = (text: string): string => `
import { antrea, defineScenario, intentOf, staticFlows, vectors } from 'flowbed';
import { antreaCluster } from 'flowbed/topologies/antrea/antrea-cluster';
import { pods } from './sizes.ts';

export default defineScenario({
  name: 'mine/learning',
  title: 'Pods of one node behind a learning switch',
  axes: { pods: { values: pods, default: ['2'] } },
  topology: ({ pods: count }: { pods: string }) => antreaCluster({ nodes: 1, podsPerNode: Number(count), tunnel: 'geneve' }),
  controlPlane: staticFlows(antrea('0.8'), [{ bridge: 'br-int', text: ${JSON.stringify(text)}, file: 'learning.flows' }]),
  vectors: vectors.podToPod,
  intent: intentOf,
});
`;

async function ownScenario(text: string): Promise<string> {
  await writeFile(
    join(elsewhere, 'sizes.ts'),
    "export const pods: readonly string[] = ['2', '3'];\n",
  );
  await writeFile(join(elsewhere, 'learning.ts'), learning(text));
  return './learning.ts';
}

void t.test(
  'a tunnel that the switch does not have is inconclusive, in its own words',
  async (t) => {
    const { code, stdout, stderr } = await flowbed(
      'run',
      'antrea/encap',
      '--set',
      'tunnel=stt',
      '--passes',
      'cold',
      '--report',
      'stt',
    );
    t.equal(code, 3);
    t.match(
      stdout,
      /cannot tunnel by stt: native tunnel header build failed\n +-> output to native tunnel/,
    );
    t.match(stdout, /\? ping +0 of 48 conform, 48 inconclusive/);
    t.match(stdout, /^ {2}verdict +inconclusive$/m);
    t.notMatch(stderr, /Unsupported| at .*\.js/, 'no stack of ours');
  },
);

void t.test(
  'a wrong request is answered with what would be right, exit code 2, and nothing on stdout',
  async (t) => {
    t.match(await flowbed('run', 'antrea/encab'), {
      code: 2,
      stdout: '',
      stderr:
        /unknown scenario or family "antrea\/encab"\. Did you mean "antrea\/encap"\? Known: .*antrea\/encap/,
    });
    t.match(await flowbed('run', '--set', 'size=3'), {
      code: 2,
      stdout: '',
      stderr: /unknown axis "size"\. Known: tunnel, nodes/,
    });
    t.match(await flowbed('run', '--set', 'nodes=4'), {
      code: 2,
      stdout: '',
      stderr: /unknown value of axis nodes .* "4"\. Known: 2, 3, 5, 10/,
    });
    t.match(
      await flowbed('run', '--set', 'nodes=4', '--set', 'tunnel=gre'),
      { code: 2, stdout: '', stderr: /unknown value of axis nodes .* "4"/ },
      'given again, it takes nothing back',
    );
    t.match(await flowbed('run', '--passes', 'warm'), {
      code: 2,
      stdout: '',
      stderr: /--passes: expected all or cold, got "warm"/,
    });
    t.match(await flowbed('run', '--image', 'trixy'), {
      code: 2,
      stdout: '',
      stderr:
        /unknown image "trixy"\. Did you mean "trixie"\? Known: trixie, bookworm, sid, system/,
    });
    t.match(await flowbed('run', '--seed', 'x'), {
      code: 2,
      stdout: '',
      stderr: /--seed: expected a whole number, got "x"/,
    });
    t.match(await flowbed('run', './none.ts'), {
      code: 2,
      stdout: '',
      stderr: /there is no file .*none\.ts/,
    });
    t.match(await flowbed('run', '--topology', 'none.yaml'), {
      code: 2,
      stdout: '',
      stderr: /none\.yaml/,
    });
    t.match(await flowbed('walk'), { code: 2, stdout: '', stderr: /unknown command 'walk'/ });
    await writeFile(join(elsewhere, 'good.yaml'), 'name: x\nnodes: [{ name: n1, pods: [p1] }]\n');
    t.match(await flowbed('run', 'antrea/changes', '--topology', 'good.yaml'), {
      code: 2,
      stdout: '',
      stderr:
        /--topology good\.yaml: antrea\/changes cannot use it: it is a timeline of its own network/,
    });
    await writeFile(
      join(elsewhere, 'bad.yaml'),
      'name: x\nnodes:\n  - name: n1\n    pods: [p1, { name: p2, ip: 10.99.0.1 }]\n',
    );
    t.match(await flowbed('run', '--topology', 'bad.yaml'), {
      code: 2,
      stdout: '',
      stderr: /bad\.yaml:4:\d+: .*10\.99\.0\.1/,
    });
  },
);

void t.test('list and doctor', async (t) => {
  t.match(await flowbed('list'), {
    code: 0,
    stdout: /^ {2}antrea +\d+ scenarios, \d+ of \d+ points by default[^]*trixie\*[^]*system/m,
  });
  t.match(await flowbed('list', 'antrea/encap'), {
    code: 0,
    stdout: /^antrea\/encap {2}Pod traffic.*\n {4}nodes = 2\* \| 3 [^]*tunnel = geneve\*/,
  });
  t.match(await flowbed('list', 'antrea/windows-*'), {
    code: 0,
    stdout: /^antrea\/windows-endpoints[^]*^antrea\/windows-truth-table/m,
  });
  t.match(await flowbed('list', 'antrea/encpa'), {
    code: 2,
    stderr: /unknown scenario or family "antrea\/encpa". Did you mean "antrea\/encap"/,
  });
  t.match(await flowbed('doctor'), { code: 0, stdout: /image trixie[^]*ready: \.\/flowbed run/ });
});

void t.test('a reader that has seen enough is no failure', async (t) => {
  const piped = new Promise((resolve) =>
    exec(`(${process.execPath} ${main} list; echo $? >&2) | true`, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    ),
  );
  t.same(await piped, { stdout: '', stderr: '0\n' });
});

void t.test("one's own scenario, in TypeScript, from outside the project", async (t) => {
  const { code, stdout, stderr } = await flowbed(
    'run',
    await ownScenario('# learn\npriority=0 actions=NORMAL\n'),
    '--set',
    'pods=3',
    '--json',
  );
  t.equal(code, 0, stderr);
  const report = runReport.parse(JSON.parse(stdout));
  t.match(report, {
    verdict: 'conforms',
    image: 'trixie',
    seed: 1,
    versions: { 'ovs-vswitchd': '3.5.0' },
  });
  t.match(report.scenarios, [{ name: 'mine/learning', axes: { pods: '3' }, verdict: 'conforms' }]);
  t.equal(report.scenarios[0]?.vectors.length, 12, 'six ordered pairs, by ping and by UDP');
  t.match(await flowbed('run', './sizes.ts'), {
    code: 2,
    stderr: /sizes\.ts has no scenario as its default export/,
  });
  t.match(
    await flowbed(
      'run',
      await ownScenario('priority=0 actions=NORMAL\n\nip,nw_dst=10.10.1.300 actions=drop\n'),
    ),
    { code: 2, stderr: /learning\.flows:3:11: .*"10\.10\.1\.300"/ },
    'a flow that is none',
  );
});

void t.test(
  'what diverges exits 1 and says where; what the model does not know is inconclusive and exits 3',
  async (t) => {
    t.match(await flowbed('run', await ownScenario('priority=0 actions=drop\n')), {
      code: 1,
      stdout:
        /intent and switch diverge[^]*no host got it[^]*first at {2}br-int on n1, table 0[^]*verdict {3}diverges/,
    });
    t.match(
      await flowbed(
        'run',
        await ownScenario(
          'priority=0 actions=NORMAL\npriority=5,ip ' +
            'actions=check_pkt_larger(100)->NXM_NX_PKT_MARK[0]\n',
        ),
      ),
      {
        code: 3,
        stdout: /the model does not know the value of the bit[^]*verdict {3}inconclusive/,
      },
    );
  },
);

void t.test(
  'where there is no folder for the switches, it is inconclusive and says what to do',
  async (t) => {
    t.match(
      await flowbedWith(
        { TMPDIR: '/proc' },
        'run',
        await ownScenario('priority=0 actions=NORMAL\n'),
      ),
      {
        code: 3,
        stdout: /cannot make a folder for the switches in \/proc: [^]*TMPDIR=\/path\/to\/folder/,
        stderr: 'mine/learning pods=2: bringing up switches\n',
      },
    );
  },
);

void t.test('Ctrl-C at any moment leaves nothing behind', async (t) => {
  const temporary = await mkdtemp('/tmp/interrupted-');
  t.teardown(() => rm(temporary, { recursive: true }));
  for (const moment of [/bringing up switches/, /: 0 of \d+ vectors/]) {
    const child = spawn(process.execPath, [main, 'run', 'antrea/encap'], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let printed = '';
    child.stderr.on('data', (chunk) => {
      const before = printed;
      printed += String(chunk);
      if (moment.test(printed) && !moment.test(before)) child.kill('SIGINT');
    });
    t.same(await once(child, 'exit'), [null, 'SIGINT'], `interrupted at ${moment}`);
    t.same(await readdir(temporary), [], 'no folder is left');
  }
});

const alone =
  availableParallelism() < 2 ? 'there is one processor, and so no other process to play' : false;
void t.test(
  'another process plays as well: it sees the same, and where it ends that is reported',
  { skip: alone },
  async (t) => {
    const temporary = await mkdtemp('/tmp/players-');
    t.teardown(() => rm(temporary, { recursive: true }));
    const whole = async (command: string, ...args: readonly string[]) => {
      const { stdout } = await promisify(execFile)(
        command,
        [...args, main, 'run', 'antrea/encap', '--passes', 'cold', '--json'],
        { cwd: elsewhere, env: { ...process.env, TMPDIR: temporary }, maxBuffer: 1 << 26 },
      );
      return runReport.parse(JSON.parse(stdout));
    };
    const [processor = ''] =
      /(?<=^Cpus_allowed_list:\s*)\d+/m.exec(await readFile('/proc/self/status', 'utf8')) ?? [];
    const [there, here] = [
      await whole(process.execPath),
      await whole('taskset', '-c', processor, process.execPath),
    ];
    t.same(
      [there.verdict, there.traceHash, there.counts],
      ['conforms', here.traceHash, here.counts],
    );

    const child = spawn(
      process.execPath,
      [
        main,
        'run',
        'antrea/encap',
        '--passes',
        'cold',
        '--set',
        'tunnel=geneve,tunnel=vxlan',
        '--json',
      ],
      {
        cwd: elsewhere,
        env: { ...process.env, TMPDIR: temporary },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(child, 'exit');
    // As soon as it has started something for its switches, for which there are folders.
    const watcher = watch(temporary, { recursive: true }, () => {
      const player = descendantsOf(child.pid ?? 0).find(
        ({ pid, command }) => command.includes('shard-worker.js') && descendantsOf(pid).length > 0,
      );
      if (player === undefined) return;
      watcher.close();
      process.kill(player.pid, 'SIGKILL');
    });
    const { verdict, scenarios } = runReport.parse(JSON.parse(await text(child.stdout)));
    t.same(await exited, [3, null]);
    t.equal(verdict, 'inconclusive');
    for (const { vectors } of scenarios)
      t.equal(vectors.length, there.scenarios[0]?.vectors.length, 'each vector is reported');
    const vectors = scenarios.flatMap(({ vectors }) => vectors);
    const open = vectors.filter(({ verdict }) => verdict === 'inconclusive');
    t.ok(open.length > 0 && open.length < vectors.length, 'some of them were under way there');
    t.ok(
      open.every(
        ({ inconclusive }) =>
          inconclusive?.cause === 'the process that played it was ended by SIGKILL',
      ),
    );
    t.ok(
      vectors.every((vector) => vector.verdict === 'conforms' || open.includes(vector)),
      'the others are played here',
    );
    t.same(await readdir(temporary), [], 'no folder is left');
  },
);

void t.test('--keep: the printed commands work as printed, and Ctrl-C ends it', async (t) => {
  t.match(await flowbed('run', '--keep', '--json'), {
    code: 2,
    stderr: /--keep waits for Ctrl-C and --json is for programs/,
  });
  const temporary = await mkdtemp('/tmp/kept-');
  t.teardown(() => rm(temporary, { recursive: true }));
  const child = spawn(
    process.execPath,
    [main, 'run', await ownScenario('priority=7 actions=NORMAL\n'), '--keep'],
    {
      cwd: elsewhere,
      env: { ...process.env, TMPDIR: temporary, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const exited = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8'))
    if (/ovs-vsctl .*show$/m.test((printed += String(chunk)))) break;
  t.match(
    printed,
    /verdict {3}conforms[^]*\nkept: the switches of mine\/learning pods=2, .* until Ctrl-C\n\n {2}n1\n {4}\S/,
  );
  const commands = printed.split('\n').filter((line) => /ovs-(ofctl|appctl|vsctl) /.test(line));
  t.equal(commands.length, 4, 'the flows of two bridges, ports, database');
  const output = await Promise.all(
    commands.map(
      (line) =>
        new Promise((resolve) =>
          exec(line, { env: { PATH: process.env['PATH'] } }, (error, stdout) =>
            resolve(error ?? stdout),
          ),
        ),
    ),
  );
  t.match(output, [
    /priority=7 actions=NORMAL/,
    /priority=0 actions=NORMAL/,
    /^system@ovs-system:[^]*br-int:[^]*antrea-gw0/,
    /Bridge br-phys[^]*Port uplink/,
  ]);
  child.kill('SIGINT');
  t.same(await exited, [null, 'SIGINT']);
  t.same(await readdir(temporary), [], 'no folder is left');
});

void t.test('--keep of a timeline: the switches of nodes that are left', async (t) => {
  const child = spawn(process.execPath, [main, 'run', 'antrea/changes', '--keep'], {
    cwd: elsewhere,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8'))
    if (/ovs-vsctl .*show$/m.test((printed += String(chunk)))) break;
  t.match(
    printed,
    /verdict {3}conforms[^]*\nkept: the switches of antrea\/changes tunnel=geneve, .* until Ctrl-C\n\n {2}n1\n/,
  );
  t.notMatch(printed, /^ {2}n2$/m, 'which has left');
  child.kill('SIGINT');
  t.same(await exited, [null, 'SIGINT']);
});
