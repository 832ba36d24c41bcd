/**
 * apt with lists of packages of its own, in a folder: an ordinary user may update them, and nothing
 * of the host is touched.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import { onPath } from '../harness/base/files/on-path.js';
import { execute } from './execute.js';

export interface Apt {
  /** Fetches packages and unpacks them, unconfigured, into `into`. @returns their versions. */
  unpack(packages: readonly string[], into: string): Promise<PackageVersions>;
}

/** Versions by package name. */
export type PackageVersions = Readonly<Record<string, string>>;

/** @param folder is made, and left to the caller to remove. */
export async function openApt(folder: string, remedies: readonly string[]): Promise<Apt> {
  await mkdir(join(folder, 'state/lists/partial'), { recursive: true });
  await mkdir(join(folder, 'cache/archives/partial'), { recursive: true });
  const options = [
    ['Dir::State', join(folder, 'state')],
    ['Dir::Cache', join(folder, 'cache')],
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
  return {
    unpack: async (packages, into) => {
      const downloadFailure = await execute('apt-get', [...options, 'download', ...packages], {
        purpose: `fetch the ${packages.length === 1 ? 'package' : 'packages'} ${packages.join(', ')}`,
        cwd: folder,
        remedies,
      }).then(() => undefined, unavailable);
      // A source that fails, such as a third party's, is no matter as long as the packages came.
      if (downloadFailure !== undefined) throw updateFailure ?? downloadFailure;
      const archives = (await readdir(folder)).filter((file) => file.endsWith('.deb')).sort();
      for (const archive of archives) {
        await execute('dpkg-deb', ['-x', join(folder, archive), into], {
          purpose: `unpack ${archive}`,
          remedies,
        });
        await rm(join(folder, archive));
      }
      return versionsOf(archives);
    },
  };
}

/** Reads `NAME_VERSION_ARCHITECTURE.deb`; a colon is written %3a. */
export function versionsOf(archives: readonly string[]): PackageVersions {
  return Object.fromEntries(
    archives.map((archive) => {
      const [name = archive, version = ''] = archive.split('_');
      return [name, decodeURIComponent(version)];
    }),
  );
}

/** @throws Unavailable for the first that is not on PATH. */
export async function needPrograms(
  names: readonly string[],
  purpose: string,
  remedies: readonly string[],
): Promise<void> {
  for (const name of names) {
    if ((await onPath(name)) === undefined)
      throw new Unavailable(`${purpose} needs ${name}, which is not on PATH`, remedies);
  }
}

function unavailable(error: unknown): Unavailable {
  if (error instanceof Unavailable) return error;
  throw error;
}
