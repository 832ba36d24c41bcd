// Goal: the commit, the image, or the commit of Open vSwitch that changed a vector is found, and
// confirmed by swapping it alone. Method: git repositories made here: flows of a user with a fault
// in one of 17 commits and one that does not build; 65 commits of a tree that builds OVS 3.1 up to
// one and 3.5 from it on, which remember another SCTP connection.
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { shellLine } from '../../base/text/shell-line.js';
import { flowbedIn } from '../flowbed-process.js';
import { flowTooMany, wallFiles } from '../testkit/wall.js';

const folder = t.testdir({ user: { ...wallFiles, 'make.sh': 'true\n' }, ovs: {} });
const [user, ovs] = [join(folder, 'user'), join(folder, 'ovs')];

function git(repository: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
  return execFileSync('git', ['-C', repository, ...identity, ...args], { encoding: 'utf8' }).trim();
}

function commit(repository: string, subject: string): string {
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', subject);
  return git(repository, 'rev-parse', 'HEAD');
}

git(user, 'init', '-q');
const begin = commit(user, 'begin');
let planted = '';
for (let number = 1; number <= 16; number++) {
  await appendFile(join(user, 'wall.flows'), `# line ${number}\n`);
  if (number === 11) await appendFile(join(user, 'wall.flows'), flowTooMany);
  await writeFile(join(user, 'make.sh'), number === 8 ? 'echo no rule; false\n' : 'true\n');
  const sha = commit(user, `change ${number}`);
  if (number === 11) planted = sha;
}

void t.test('a commit of the user, with an image beside that has no part in it', async (t) => {
  const { code, stdout, stderr } = await flowbedIn(folder, [
    ...['bisect', 'ping/p1/p2', '--scenario', 'wall.ts', '--repo', user],
    ...['--prepare', 'sh make.sh', '--good', `image=bookworm,repo=${begin}`],
    ...['--bad', 'image=trixie,repo=HEAD'],
  ]);
  t.equal(code, 0, stderr);
  t.match(stdout, /# it is repo: the others may stay/);
  t.match(stdout, new RegExp(`# first bad commit: \\[${planted}\\] change 11\n`));
  t.match(stdout, /skip: \[\w+\] change 8: "sh make\.sh" ended with 1: no rule/);
  t.match(stdout, /it alone, where all else is as held: bad, as expected/);
  const log = stdout.slice(stdout.indexOf('git bisect start'));
  await writeFile(join(folder, 'log'), log);
  t.match(git(user, 'bisect', 'replay', join(folder, 'log')), planted, 'git takes the log');
});

void t.test('ends that are alike, or the wrong way round, are refused', async (t) => {
  const args = ['bisect', 'ping/p1/p2', '--scenario', 'wall.ts', '--repo', user];
  const alike = await flowbedIn(folder, [...args, '--good', begin, '--bad', 'HEAD~10']);
  t.equal(alike.code, 2);
  t.match(alike.stderr, /is alike at both ends, as to its verdict: conforms/);
  const turned = await flowbedIn(folder, [...args, '--good', 'HEAD', '--bad', begin]);
  t.match(turned.stderr, /--good is the older one/);
});

void t.test('from another folder, by the path here; counters by name; as JSON', async (t) => {
  const args = ['bisect', 'ping/p1/p2', '--repo', user, '--good', begin, '--bad', 'HEAD', '--json'];
  for (const scenario of ['user/wall.ts', join(user, 'wall.ts')]) {
    const { code, stdout, stderr } = await flowbedIn(folder, [
      ...[...args, '--prepare', 'sh make.sh', '--scenario', scenario, '--first-change', 'counters'],
    ]);
    t.equal(code, 0, stderr);
    t.match(JSON.parse(stdout), {
      vector: 'ping/p1/p2',
      good: { seen: /\d+ packets counted, \d+ of them at n1 br-int table=0/ },
      found: [{ component: 'repo', first: [{ sha: planted }], isConfirmed: true }],
    });
  }
  const work = await flowbedIn(folder, [
    ...args,
    '--scenario',
    'wall.ts',
    '--first-change',
    'work',
  ]);
  t.match(work, { code: 2, stderr: /expected one kind of it, .*lookups, recirculations, upcalls/ });
  const lookups = await flowbedIn(folder, [
    ...[...args, '--scenario', 'wall.ts', '--first-change', 'lookups', '--prepare', 'sh make.sh'],
  ]);
  t.match(`${lookups.stdout}${lookups.stderr}`, /\d+ lookups of the datapaths/);
});

void t.test('a commit of Open vSwitch', async (t) => {
  git(ovs, 'init', '-q');
  const programs = [
    ...(['ovs-vswitchd', 'ovsdb-server', 'ovsdb-tool', 'ovsdb-client', 'ovs-ofctl'] as const),
    ...(['ovs-vsctl', 'ovs-appctl'] as const),
  ];
  for (const name of ['bookworm', 'trixie']) {
    const image = await openImage(name, () => undefined);
    await mkdir(join(ovs, name, 'sbin'), { recursive: true });
    for (const program of programs)
      await writeFile(
        join(ovs, name, 'sbin', program),
        `#!/bin/sh\nexec ${shellLine(image.command(program))} "$@"\n`,
        { mode: 0o755 },
      );
    await mkdir(join(ovs, name, 'share'), { recursive: true });
    await writeFile(
      join(ovs, name, 'share', 'copy.sh'),
      `d="$OUT/share/openvswitch"; mkdir -p "$d" && cp ${image.schema('vswitch.ovsschema')} "$d"\n`,
    );
  }
  let first = '';
  for (let number = 0; number <= 64; number++) {
    const name = number < 41 ? 'bookworm' : 'trixie';
    await writeFile(
      join(ovs, 'build.sh'),
      number === 44
        ? 'echo "a.c:1: error: no such header"; echo "make: *** Error 2"; exit 1\n'
        : `# ${number}\ncp -r ${name}/sbin "$OUT/sbin" && . ${name}/share/copy.sh\n`,
    );
    const sha = commit(ovs, `change ${number}`);
    if (number === 41) first = sha;
  }
  const { code, stdout, stderr } = await flowbedIn(
    folder,
    [
      ...['bisect', 'sctp-9/p1.shop/p3.lab', '--scenario', 'antrea/truth-table'],
      ...['--first-change', 'trace', '--ovs-tree', ovs, '--build', 'sh build.sh'],
      ...['--good', 'HEAD~64', '--bad', 'HEAD'],
    ],
    { FLOWBED_CACHE: join(folder, 'cache'), FLOWBED_TRUST_CACHE: 'yes' },
  );
  t.equal(code, 0, stderr);
  t.match(stdout, new RegExp(`# first bad commit: \\[${first}\\] change 41\n`));
  t.match(
    stdout,
    /skip: \[\w+\] change 44: "sh build\.sh" ended with 1: a\.c:1: error: no such header/,
  );
  t.match(stdout, /# asked 6 of 63 between/);
  const log = stdout.slice(stdout.indexOf('git bisect start'));
  await writeFile(join(folder, 'ovs-log'), log);
  t.match(git(ovs, 'bisect', 'replay', join(folder, 'ovs-log')), first, 'git takes the log');
});
