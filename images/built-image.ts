import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import { sha256 } from '../harness/base/files/digest.js';
import { firstPath } from '../harness/base/files/on-path.js';
import { within } from '../harness/base/files/path-part.js';
import type { Image, Program } from '../harness/ovs/process/image.js';
import { programs } from './programs.js';

/**
 * An image in which the programs that a build left in `folder` (`sbin`, `bin`, schemas in `share`)
 * stand in for those of `base`. @throws Unavailable where it left none.
 */
export async function builtImage(base: Image, folder: string): Promise<Image> {
  const paths = new Map<Program, string>();
  for (const program of programs) {
    const path = await firstPath(
      [join(folder, 'sbin'), join(folder, 'bin')].map((place) => within(place, program)),
      constants.X_OK,
    );
    if (path !== undefined) paths.set(program, path);
  }
  if (paths.size === 0)
    throw new Unavailable(`the build left no program in ${join(folder, 'sbin')} or bin`, [
      'install into $OUT: make install DESTDIR="$OUT", configured with --prefix=/',
    ]);
  const schemas = new Map<string, string>();
  for (const file of ['vswitch.ovsschema', 'ovn-nb.ovsschema', 'ovn-sb.ovsschema']) {
    const path = await firstPath(
      [join(folder, 'share/openvswitch'), join(folder, 'share/ovn')].map((place) =>
        within(place, file),
      ),
      constants.R_OK,
    );
    if (path !== undefined) schemas.set(file, path);
  }
  const contents = await Promise.all([...paths.values()].map((path) => readFile(path)));
  return {
    name: `${base.name}+${basename(folder)}`,
    digest: sha256([base.digest, ...contents.map((content) => sha256(content))].join('\n')),
    command: (program) => {
      const path = paths.get(program);
      return path === undefined ? base.command(program) : [path];
    },
    schema: (file) => schemas.get(file) ?? base.schema(file),
  };
}
