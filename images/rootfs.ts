import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { needPrograms, openApt, versionsOf, type PackageVersions } from './apt.js';
import { execute } from './execute.js';
import { onPath } from '../harness/base/files/on-path.js';
import type { Suite } from './suites.js';

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
      // As root, newer ones (1.5) refuse this mode outside of a chroot for what packages' scripts
      // could do to the host: this variant runs none.
      '--skip=check/chrootless',
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
  await needPrograms(['apt-get', 'dpkg-deb', 'perl'], 'making an image', [
    'make images on Debian or one of its kin',
    'or install Open vSwitch and use it: --image system',
  ]);
  const installed = await onPath('mmdebstrap');
  if (installed !== undefined) return installed;
  say('fetching mmdebstrap with apt, into a private folder (about 10 s)…');
  const root = join(scratch, 'mmdebstrap');
  const apt = await openApt(join(scratch, 'apt'), remedies);
  await apt.unpack(['mmdebstrap'], root);
  return join(root, 'usr/bin/mmdebstrap');
}

/** Reads versions off the names of the files, and removes these. */
async function takeArchives(folder: string): Promise<PackageVersions> {
  const archives = (await readdir(folder)).filter((file) => file.endsWith('.deb')).sort();
  for (const archive of archives) await rm(join(folder, archive));
  return versionsOf(archives);
}
