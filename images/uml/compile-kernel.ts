import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { awaitAll } from '../../harness/base/concurrency/await-all.js';
import { Unavailable } from '../../harness/base/errors/errors.js';
import { onPath } from '../../harness/base/files/on-path.js';
import { needPrograms, openApt, type Apt, type PackageVersions } from '../apt.js';
import { execute } from '../execute.js';
import { buildRoot } from '../rootfs.js';
import { newestSuite } from '../suites.js';
import { fixedRandomSource } from './fixed-random.js';
import { kernelConfig, wantedOptions } from './kernel-config.js';

/** What the machine must have; the rest is fetched. */
export const programsOfTheMachine = ['apt-get', 'dpkg-deb', 'tar', 'xz', 'make', 'gcc', 'bc'];

export const kernelRemedies = [
  'install what builds a kernel: apt-get install gcc make bc flex bison xz-utils libc6-dev',
  'or run on this machine itself: --world host',
];

/** So many files are compiled, about: for how far it is. */
const filesToCompile = 800;

/**
 * Optimized less, it compiles in three quarters of the time. Runs of switches without a kernel's
 * datapath take a tenth less with it, those with one a twentieth more. It is linked below 2 GB, so
 * that the small code model is enough, where Linux asks for the large one. Headers are half of the
 * work, and full of macros: where in a macro something stood is not kept, for a tenth less.
 */
export const compilerOptions = '-O1 -mcmodel=small -ftrack-macro-expansion=0';

/**
 * Fills `root` with `linux`, a kernel that is a program, and `fixed-random.so`.
 * @param scratch an empty folder, 2 GB of which are needed.
 * @throws Unavailable without the machine's programs, a mirror or room, or when it does not build.
 */
export async function compileKernel(
  root: string,
  scratch: string,
  say: (line: string) => void,
): Promise<PackageVersions> {
  await needPrograms(programsOfTheMachine, 'making a kernel', kernelRemedies);
  const { tree, env, versions } = await fetchSource(root, scratch, say);
  const options = { cwd: tree, env, remedies: kernelRemedies, limitMs: buildLimitMs };
  await writeFile(join(tree, 'flowbed.config'), kernelConfig);
  await execute('make', ['ARCH=um', 'KCONFIG_ALLCONFIG=flowbed.config', 'allnoconfig'], {
    ...options,
    purpose: 'configure the kernel',
  });
  await checkConfig(await readFile(join(tree, '.config'), 'utf8'));
  let compiled = 0;
  const jobs = availableParallelism();
  say(`compiling the kernel with ${jobs} ${jobs === 1 ? 'job' : 'jobs'} (minutes)…`);
  const make = ['make', 'ARCH=um', `-j${jobs}`, `KCFLAGS=${compilerOptions}`, 'linux'];
  await execute('nice', make, {
    ...options,
    purpose: 'compile the kernel',
    onLine: (line) => {
      if (!/^ +CC /.test(line) || ++compiled % 100 !== 0) return;
      say(`compiling the kernel: ${compiled} of about ${filesToCompile} files`);
    },
  });
  await mkdir(root, { recursive: true });
  await execute('strip', ['linux'], { ...options, purpose: 'strip the kernel' });
  await rename(join(tree, 'linux'), join(root, 'linux'));
  await compileFixedRandom(root, scratch);
  return versions;
}

async function fetchSource(root: string, scratch: string, say: (line: string) => void) {
  const [tree, unpacked] = [join(scratch, 'linux'), join(scratch, 'packages')];
  const [linux, { fetched, nftables }] = await awaitAll([
    unpackLinux(tree, scratch, say),
    unpackPrograms(unpacked, root, scratch),
  ]);
  const share = join(unpacked, 'usr/share');
  const path = `${process.env['PATH'] ?? ''}:${join(unpacked, 'usr/bin')}`;
  const libraries = join(unpacked, 'usr/lib/x86_64-linux-gnu');
  const env = {
    PATH: path,
    LD_LIBRARY_PATH: libraries,
    ...(fetched['bison'] === undefined ? {} : { BISON_PKGDATADIR: join(share, 'bison') }),
    ...(fetched['m4'] === undefined ? {} : { M4: join(unpacked, 'usr/bin/m4') }),
    // Its own name and date are part of a kernel.
    KBUILD_BUILD_TIMESTAMP: 'Thu Jan  1 00:00:00 UTC 2026',
    KBUILD_BUILD_USER: 'flowbed',
    KBUILD_BUILD_HOST: 'flowbed',
  };
  return { tree, env, versions: { ...linux, ...fetched, ...nftables } };
}

/** Meanwhile, for it waits for others: programs that compile a kernel, and those of guests. */
async function unpackPrograms(unpacked: string, root: string, scratch: string) {
  const apt = await openApt(join(scratch, 'apt'), kernelRemedies);
  const missing = await missingTools();
  const fetched = missing.length === 0 ? {} : await apt.unpack(missing, unpacked);
  return { fetched, nftables: await unpackNftables(apt, root) };
}

/**
 * Where Linux is from, whatever the machine has: before 6.16 a guest's programs make their system
 * calls by ptrace(2) alone, which takes twice the time.
 */
export const suiteOfLinux = newestSuite;

/** Unpacks Linux into `tree`. @returns its version as the package's. */
async function unpackLinux(
  tree: string,
  scratch: string,
  say: (line: string) => void,
): Promise<PackageVersions> {
  const [debian, rest] = [join(scratch, 'debian'), join(scratch, 'rest')];
  await mkdir(rest);
  const fetched = await buildRoot(suiteOfLinux, ['linux-source'], debian, rest, say);
  const source = Object.keys(fetched).find((name) => /^linux-source-[0-9.]+$/.test(name));
  if (source === undefined)
    throw new Unavailable('the package linux-source brings no source of Linux', kernelRemedies);
  await mkdir(tree);
  say('unpacking it (1 GB)…');
  const archive = join(debian, `usr/src/${source}.tar.xz`);
  const excluded = leftOut.map((pattern) => `--exclude=${pattern}`);
  // By all processors: the archive has blocks.
  const unpack = ['--use-compress-program=xz -T0', '-xf', archive, '--strip-components=1'];
  await execute('tar', [...unpack, ...excluded], {
    purpose: 'unpack the source of Linux',
    cwd: tree,
    remedies: kernelRemedies,
  });
  await rm(debian, { recursive: true, force: true });
  return { [source]: fetched[source] ?? 'unknown' };
}

/**
 * nft, for guests on machines without it, with the libraries that it needs beside the machine's
 * own: a script starts it with them.
 */
async function unpackNftables(apt: Apt, root: string): Promise<PackageVersions> {
  const folder = join(root, nftablesFolder);
  await mkdir(folder, { recursive: true });
  const versions = await apt.unpack(nftablesPackages, folder);
  for (const left of ['usr/share', 'etc', 'lib/systemd'])
    await rm(join(folder, left), { recursive: true, force: true });
  const script = [
    '#!/bin/sh',
    'here=${0%/*}',
    'LD_LIBRARY_PATH=$here/usr/lib/x86_64-linux-gnu:$here/lib/x86_64-linux-gnu',
    'export LD_LIBRARY_PATH',
    'exec "$here/usr/sbin/nft" "$@"',
  ];
  await writeFile(join(folder, 'nft'), `${script.join('\n')}\n`, { mode: 0o755 });
  return versions;
}

export const nftablesFolder = 'nftables';

const nftablesPackages = [
  'nftables',
  'libnftables1',
  'libedit2',
  'libmnl0',
  'libnftnl11',
  'libxtables12',
  'libjansson4',
  'libgmp10',
  'libtinfo6',
  'libbsd0',
  'libmd0',
] as const;

/** Other processors, and what the configuration cannot ask for; their Kconfig is read and stays. */
const leftOut = [
  '*/Documentation/*/*',
  '*/tools/testing/*',
  ...['arm', 'arm64', 'mips', 'powerpc', 's390', 'sparc', 'riscv', 'm68k', 'sh', 'alpha'].map(
    (arch) => `*/arch/${arch}/*.[chS]`,
  ),
  ...['gpu', 'media', 'infiniband', 'scsi', 'staging'].map((part) => `*/drivers/${part}/*.[ch]`),
  '*/drivers/net/wireless/*.[ch]',
  '*/drivers/net/ethernet/*.[ch]',
  '*/sound/*.[ch]',
];

async function missingTools(): Promise<readonly string[]> {
  const [flex, bison] = [await onPath('flex'), await onPath('bison')];
  return [
    ...(flex === undefined ? ['flex', 'libfl2'] : []),
    ...(bison === undefined ? ['bison'] : []),
    ...(flex === undefined || bison === undefined ? ['m4', 'libsigsegv2'] : []),
  ];
}

/** An option that is not known, or whose conditions fail, is left out in silence. */
async function checkConfig(config: string): Promise<void> {
  const made = new Set(config.split('\n'));
  const lost = wantedOptions.filter((option) => !made.has(option));
  if (lost.length > 0)
    throw new Unavailable(
      `this source of Linux cannot be configured as it is needed: no ${lost.join(', ')}`,
      kernelRemedies,
    );
}

async function compileFixedRandom(root: string, scratch: string): Promise<void> {
  const source = join(scratch, 'fixed-random.c');
  await writeFile(source, fixedRandomSource);
  await execute(
    'gcc',
    ['-O2', '-Wall', '-Werror', '-shared', '-fPIC', '-o', join(root, 'fixed-random.so'), source],
    { purpose: 'compile the library of fixed random numbers', remedies: kernelRemedies },
  );
}

const buildLimitMs = 180 * 60_000;
