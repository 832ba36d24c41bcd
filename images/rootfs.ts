import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import { execute } from './execute.js';
import { onPath } from '../harness/base/files/on-path.js';
import type { Suite } from './suites.js';

/** Versions by package name. */
export type PackageVersions = Readonly<Record<string, string>>;

/**
 * Fills the folder `root` with the suite's packages, unpacked and not configured; needs no
 * privilege and changes nothing of the host. Mirror and keys are mmdebstrap's own for the suite.
 * `scratch` is an empty folder for what is needed on the way.
 * @throws Unavailable without apt, Perl, a mirror or room.
 */
export async function buildRoot(
  suite: Suite,
  packages: readonly string[],
  root: string,
  scratch: string,
  say: (line: string) => void,
): Promise<PackageVersions> {
  const mmdebstrap = await findMmdebstrap(scratch, say);
  say(`fetching Debian ${suite.name} with ${packages.join(', ')} (about 10 s)…`);
  await execute(
    'perl',
    [
      mmdebstrap,
      '--mode=chrootless',
      '--variant=extract',
      `--include=${packages.join(',')}`,
      // Their names are the only place where the versions stand: nothing is configured, so dpkg's
      // status file is empty.
      '--skip=cleanup/apt/cache',
      ...suite.aptOptions.map((option) => `--aptopt=${option}`),
      suite.name,
      root,
    ],
    { purpose: `make a root folder of Debian ${suite.name}`, env: { TMPDIR: scratch }, remedies },
  );
  return takeArchives(join(root, 'var/cache/apt/archives'));
}

const remedies = [
  'check the network and the mirror: apt-get update',
  'behind a proxy: export http_proxy=URL https_proxy=URL',
  'no space left: FLOWBED_CACHE=/path/to/folder with 500 MB of room',
  'or install Open vSwitch and use it: apt-get install openvswitch-switch ovn-central ' +
    'ovn-host, then --image system',
];

/**
 * The one on PATH, else the script out of Debian's package, by a private state of apt that an
 * ordinary user may update.
 */
async function findMmdebstrap(scratch: string, say: (line: string) => void): Promise<string> {
  await needPrograms(['apt-get', 'dpkg-deb', 'perl']);
  const installed = await onPath('mmdebstrap');
  if (installed !== undefined) return installed;
  say('fetching mmdebstrap with apt, into a private folder (about 10 s)…');
  const apt = join(scratch, 'apt');
  await mkdir(join(apt, 'state/lists/partial'), { recursive: true });
  await mkdir(join(apt, 'cache/archives/partial'), { recursive: true });
  const options = [
    ['Dir::State', join(apt, 'state')],
    ['Dir::Cache', join(apt, 'cache')],
    ['Dir::State::status', '/var/lib/dpkg/status'],
    ['APT::Sandbox::User', ''],
    ['Debug::NoLocking', '1'],
    ['Acquire::Languages', 'none'],
    ['APT::Update::Error-Mode', 'any'],
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const updateFailure = await execute('apt-get', [...options, 'update'], {
    purpose: 'fetch lists of packages',
    remedies,
  }).then(() => undefined, unavailable);
  const downloadFailure = await execute('apt-get', [...options, 'download', 'mmdebstrap'], {
    purpose: 'fetch the package mmdebstrap',
    cwd: apt,
    remedies,
  }).then(() => undefined, unavailable);
  // A source that fails, such as a third party's, is no matter as long as the package came.
  if (downloadFailure !== undefined) throw updateFailure ?? downloadFailure;
  const archive = (await readdir(apt)).find((file) => file.endsWith('.deb')) ?? 'mmdebstrap.deb';
  await execute('dpkg-deb', ['-x', join(apt, archive), join(apt, 'root')], {
    purpose: 'unpack the package mmdebstrap',
    remedies,
  });
  return join(apt, 'root/usr/bin/mmdebstrap');
}

function unavailable(error: unknown): Unavailable {
  if (error instanceof Unavailable) return error;
  throw error;
}

async function needPrograms(names: readonly string[]): Promise<void> {
  for (const name of names) {
    if ((await onPath(name)) !== undefined) continue;
    throw new Unavailable(`making an image needs ${name}, which is not on PATH`, [
      'make images on Debian or one of its kin',
      'or install Open vSwitch and use it: --image system',
    ]);
  }
}

/** Reads `NAME_VERSION_ARCHITECTURE.deb` (a colon is written %3a), and removes the files. */
async function takeArchives(folder: string): Promise<PackageVersions> {
  const archives = (await readdir(folder)).filter((file) => file.endsWith('.deb')).sort();
  for (const archive of archives) await rm(join(folder, archive));
  return Object.fromEntries(
    archives.map((archive) => {
      const [name = archive, version = ''] = archive.split('_');
      return [name, decodeURIComponent(version)];
    }),
  );
}
