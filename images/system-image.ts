import { constants } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import { sha256 } from '../harness/base/files/digest.js';
import type { Image, Program } from '../harness/ovs/process/image.js';
import { execute } from './execute.js';
import { programs } from './programs.js';
import { firstPath } from '../harness/base/files/on-path.js';

const remedies = [
  'install them: apt-get install openvswitch-switch ovn-central ovn-host',
  'or use an image, which needs no installation: --image trixie',
];

/**
 * The image `system`: the programs on `searchPath` (as $PATH) and in the folders for daemons that
 * an ordinary user's PATH lacks. OVN's programs may be missing until they are asked for.
 * @throws Unavailable when one of Open vSwitch's programs is missing.
 */
export async function systemImage(
  searchPath: string,
  daemonFolders = ['/usr/local/sbin', '/usr/sbin'],
): Promise<Image> {
  const folders = [...searchPath.split(':').filter((folder) => folder !== ''), ...daemonFolders];
  const paths = new Map<Program, string>();
  for (const program of programs) {
    const path = await firstPath(
      folders.map((folder) => join(folder, program)),
      constants.X_OK,
    );
    if (path !== undefined) paths.set(program, path);
  }
  const pathOf = (program: Program): string => {
    const path = paths.get(program);
    if (path === undefined)
      throw new Unavailable(
        `no ${program} on this machine: looked on PATH, in /usr/local/sbin and in /usr/sbin`,
        remedies,
      );
    return path;
  };
  const vswitchd = pathOf('ovs-vswitchd');
  programs.filter((program) => !program.startsWith('ovn-')).forEach(pathOf);
  const schemas = new Map<string, string>();
  for (const file of ['vswitch.ovsschema', 'ovn-nb.ovsschema', 'ovn-sb.ovsschema']) {
    const path = await firstPath(
      (await shareFolders(vswitchd)).map((folder) => join(folder, file)),
      constants.R_OK,
    );
    if (path !== undefined) schemas.set(file, path);
  }
  return {
    name: 'system',
    digest: sha256(`${await versions(paths)}\n${await digests(paths)}`),
    command: (program) => [pathOf(program)],
    schema: (file) => {
      const path = schemas.get(file);
      if (path === undefined)
        throw new Unavailable(
          `no ${file} beside ${vswitchd}, in /usr/share or in /usr/local/share`,
          remedies,
        );
      return path;
    },
  };
}

async function shareFolders(vswitchd: string): Promise<readonly string[]> {
  const prefixes = [
    dirname(dirname(vswitchd)),
    dirname(dirname(await realpath(vswitchd))),
    '/usr',
    '/usr/local',
  ];
  return prefixes.flatMap((prefix) => [
    join(prefix, 'share/openvswitch'),
    join(prefix, 'share/ovn'),
  ]);
}

/** Of the programs' files; what libraries they load is the machine's affair. */
async function digests(paths: ReadonlyMap<Program, string>): Promise<string> {
  const files = await Promise.all([...paths.values()].map((path) => readFile(path)));
  return files.map((file) => sha256(file)).join('\n');
}

async function versions(paths: ReadonlyMap<Program, string>): Promise<string> {
  const outputs = await Promise.all(
    [...paths.values()].map((path) =>
      execute(path, ['--version'], { purpose: `print the version of ${path}`, remedies }),
    ),
  );
  return outputs.join('\n');
}
