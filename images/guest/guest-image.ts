/** What a virtual machine runs from: QEMU, Debian's cloud kernel, and busybox. */
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Unavailable } from '../../harness/base/errors/errors.js';
import { canonicalJson, sha256 } from '../../harness/base/files/digest.js';
import { cacheFolder } from '../cache.js';
import { execute } from '../execute.js';
import { refuseOtherWriters } from '../other-writers.js';
import { findLoader } from '../programs.js';
import { cachedAndRecorded } from '../recorded-folder.js';
import { buildRoot } from '../rootfs.js';
import { defaultSuite } from '../suites.js';
import { guestProgram, kernelModules } from './guest-program.js';

export interface GuestImage {
  readonly folder: string;
  /** QEMU, started by the loader of its own root folder, with where its firmware is. */
  readonly qemu: readonly [file: string, ...args: string[]];
  /** A bzImage. */
  readonly kernel: string;
  /** A cpio archive with busybox, modules for the network, and `guestProgram`. */
  readonly initrd: string;
  /** `qemu`, `linux`, `busybox`. */
  readonly versions: Readonly<Record<string, string>>;
}

const packages = ['qemu-system-x86', 'linux-image-cloud-amd64', 'busybox-static'] as const;
/** Raised when the way in which it is made changes otherwise. */
const recipeVersion = 2;
const versionsFile = 'versions.json';
const bytesForGuest = 2 ** 30;

const remedies = ['check the network and the mirror: apt-get update'];

/** Fetched first where it is not in the cache. @throws Unavailable where it cannot be. */
export async function openGuestImage(say: (line: string) => void): Promise<GuestImage> {
  await refuseOtherWriters(cacheFolder(), []);
  const folder = await cachedAndRecorded(
    cacheFolder(),
    guestKey(),
    (unfinished) => build(unfinished, say),
    bytesForGuest,
  );
  await refuseOtherWriters(dirname(folder), [basename(folder), `${basename(folder)}/root`]);
  const root = join(folder, 'root');
  const loader = await findLoader(root);
  if (loader === undefined)
    throw new Unavailable(`there is no loader in ${root}`, [
      `remove the folder, it is made again: rm -r ${folder}`,
    ]);
  return {
    folder,
    qemu: [
      ...loader,
      join(root, 'usr/bin/qemu-system-x86_64'),
      ...['-L', join(root, 'usr/share/qemu'), '-L', join(root, 'usr/share/seabios')],
    ],
    kernel: join(folder, 'vmlinuz'),
    initrd: join(folder, 'initrd'),
    versions: JSON.parse(await readFile(join(folder, versionsFile), 'utf8')) as Record<
      string,
      string
    >,
  };
}

function guestKey(): string {
  const { name, aptOptions } = defaultSuite;
  const recipe = { recipeVersion, suite: name, aptOptions, packages, kernelModules, guestProgram };
  return `guest-${name}-${sha256(canonicalJson(recipe)).slice(0, 12)}`;
}

async function build(folder: string, say: (line: string) => void): Promise<void> {
  if (process.arch !== 'x64')
    throw new Unavailable(`guests of QEMU are x86-64, and this machine is ${process.arch}`);
  const [root, scratch] = [join(folder, 'root'), join(folder, 'scratch')];
  await mkdir(scratch);
  const fetched = await buildRoot(defaultSuite, packages, root, scratch, say);
  const linux = Object.keys(fetched).find((name) => /^linux-image-\d.*-cloud-amd64$/.test(name));
  if (linux === undefined)
    throw new Unavailable('the package linux-image-cloud-amd64 brings no kernel', remedies);
  const release = linux.replace('linux-image-', '');
  await cp(join(root, `boot/vmlinuz-${release}`), join(folder, 'vmlinuz'));
  await makeInitrd(root, join(root, 'usr/lib/modules', release), join(folder, 'initrd'), scratch);
  const versions = {
    qemu: fetched['qemu-system-x86'],
    linux: release,
    busybox: fetched['busybox-static'],
  };
  await writeFile(join(folder, versionsFile), JSON.stringify(versions));
  for (const left of ['boot', 'usr/lib/modules', 'var', 'etc', 'usr/share/doc'])
    await rm(join(root, left), { recursive: true, force: true });
  await rm(scratch, { recursive: true, force: true });
}

async function makeInitrd(
  root: string,
  modules: string,
  initrd: string,
  scratch: string,
): Promise<void> {
  const [tree, busybox] = [join(scratch, 'initrd'), join(root, 'usr/bin/busybox')];
  for (const folder of ['bin', 'modules', 'proc', 'sys', 'dev'])
    await mkdir(join(tree, folder), { recursive: true });
  await cp(busybox, join(tree, 'bin/busybox'));
  await chmod(join(tree, 'bin/busybox'), 0o755);
  const files = await readdir(modules, { recursive: true });
  for (const module of kernelModules) {
    const found = files.find((file) => basename(file) === `${module}.ko.xz`);
    if (found === undefined)
      throw new Unavailable(`the kernel of guests has no module ${module}`, remedies);
    await cp(join(modules, found), join(tree, 'modules', basename(found)));
  }
  await writeFile(join(tree, 'init'), guestProgram, { mode: 0o755 });
  const script = '"$1" find . | "$1" cpio -o -H newc > "$2"';
  await execute('sh', ['-c', script, 'sh', busybox, initrd], {
    purpose: 'make the first folder of a guest',
    cwd: tree,
    remedies,
  });
}
