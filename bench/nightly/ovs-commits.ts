/**
 * A git tree of Open vSwitch: Debian's sources of 3.1, then of 3.5, with 64 commits behind the
 * first, of which one rewrites a TTL wrongly and one does not compile.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, cached } from '../../images/cache.js';
import { buildRoot } from '../../images/rootfs.js';
import { suites } from '../../images/suites.js';
import { scratchFolder } from '../../harness/ovs/workspace/workspace.js';

export const commitCount = 64;
/** 3.5 is imported here. */
const imported = 20;
const planted = 41;
/** It does not compile. */
const broken = 44;

/** The vector that shows it: between nodes a TTL is counted down. */
export const vectorOfCommits = 'ping/p1/p4';

/**
 * Programs and schemas alone: no manual pages, no tests, no optimisation. What autoconf makes is
 * made again by make where its sources have changed.
 */
export const buildOfCommits = [
  '{ [ -e Makefile ] || { ./boot.sh && ./configure -q --prefix=/ --disable-ssl',
  "CFLAGS='-O0 -g0 -w'; }; } &&",
  'make -s -j"$(nproc)" noinst_PROGRAMS= MANS= &&',
  'make -s install noinst_PROGRAMS= MANS= DESTDIR="$OUT"',
].join(' ');

/** Small files, so that a step compiles little. */
const touched = ['lib/fat-rwlock.c', 'lib/svec.c', 'lib/timer.c', 'ovsdb/log.c'] as const;

/** The repository, kept in the cache folder; `planted` is a tag of it. */
export async function ovsCommits(say: (line: string) => void): Promise<string> {
  return await cached(cacheFolder(), 'bench-ovs-commits-1', async (folder) => {
    const scratch = await scratchFolder();
    await makeCommits(folder, scratch, say).finally(() =>
      rm(scratch, { recursive: true, force: true }),
    );
  });
}

async function makeCommits(
  folder: string,
  scratch: string,
  say: (line: string) => void,
): Promise<void> {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...identity },
    }).trim();
  const commit = (subject: string) => {
    git('add', '-A', '-f');
    git('commit', '-q', '-m', subject);
  };
  git('init', '-q');
  await takeSources(folder, 'bookworm', scratch, say);
  commit('Open vSwitch 3.1');
  for (let number = 1; number <= commitCount; number++) {
    if (number === imported) await takeSources(folder, 'trixie', scratch, say);
    const file = join(folder, touched[number % touched.length] ?? '');
    await writeFile(file, `${await readFile(file, 'utf8')}/* change ${number} */\n`);
    if (number === planted)
      await replace(
        join(folder, 'ofproto/ofproto-dpif-xlate.c'),
        'flow->nw_ttl--;',
        'flow->nw_ttl -= 2;',
      );
    const ofctl = join(folder, 'utilities/ovs-ofctl.c');
    const text = await readFile(ofctl, 'utf8');
    const wrong = `#error "change ${broken} does not compile"\n`;
    if (number === broken) await writeFile(ofctl, text + wrong);
    if (number === broken + 1) await writeFile(ofctl, text.replace(wrong, ''));
    commit(`change ${number}${number === imported ? ': Open vSwitch 3.5' : ''}`);
    if (number === planted) git('tag', 'planted');
  }
}

/** Commits have the same ids whenever they are made. */
const identity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'bench'],
    [`GIT_${who}_EMAIL`, 'bench@example.org'],
    [`GIT_${who}_DATE`, '2026-01-01T00:00:00Z'],
  ]),
);

async function replace(file: string, before: string, after: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!text.includes(before)) throw new Error(`${file} has no "${before}"`);
  await writeFile(file, text.replace(before, after));
}

/**
 * Puts a suite's sources in the place of what is there, as a repository of them would hold them.
 */
async function takeSources(
  folder: string,
  name: 'bookworm' | 'trixie',
  scratch: string,
  say: (line: string) => void,
): Promise<void> {
  const suite = suites.find((one) => one.name === name);
  if (suite === undefined) throw new Error(`there is no suite ${name}`);
  const [root, own] = [join(scratch, `${name}-root`), join(scratch, `${name}-scratch`)];
  await mkdir(own, { recursive: true });
  await buildRoot(suite, ['openvswitch-source'], root, own, say);
  const packed = join(root, 'usr/src/openvswitch');
  const archive = join(packed, 'openvswitch.tar.gz');
  if ((await readdir(packed)).includes('openvswitch.tar.gz'))
    execFileSync('tar', ['-xzf', archive, '-C', root, '--no-same-owner']);
  const sources = (await readdir(root)).includes('openvswitch')
    ? join(root, 'openvswitch')
    : packed;
  for (const entry of await readdir(folder))
    if (entry !== '.git') await rm(join(folder, entry), { recursive: true });
  await cp(sources, folder, { recursive: true });
  for (const entry of generated) await rm(join(folder, entry), { recursive: true, force: true });
  await rm(root, { recursive: true, force: true });
}

/** What boot.sh makes. */
const generated = ['configure', 'Makefile.in', 'aclocal.m4', 'config.h.in', 'autom4te.cache'];
