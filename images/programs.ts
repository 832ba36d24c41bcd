import { readdir } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import type { Image, Program } from '../harness/ovs/process/image.js';
import { firstPath } from '../harness/base/files/on-path.js';

/** Every program that an image may be asked for. */
export const programs = [
  'ovs-vswitchd',
  'ovsdb-server',
  'ovsdb-tool',
  'ovsdb-client',
  'ovs-ofctl',
  'ovs-vsctl',
  'ovs-appctl',
  'ovn-northd',
  'ovn-controller',
  'ovn-nbctl',
  'ovn-sbctl',
] as const satisfies readonly Program[];

/**
 * Where Debian's packages put programs. ovs-vswitchd has a folder of its own, and a link in
 * /usr/sbin once it is installed.
 */
const folders = ['usr/lib/openvswitch-switch', 'usr/sbin', 'usr/bin', 'usr/lib/openvswitch-common'];
const schemaFolders = ['usr/share/openvswitch', 'usr/share/ovn'];

/**
 * What runs, from a root folder: programs, the folders in which the loader looks, and schemas. What
 * else a package brings is not read.
 */
export async function executableParts(root: string): Promise<readonly string[]> {
  const libraries = await Promise.all(
    ['usr/lib', 'lib'].map(async (lib) =>
      (await tripletsIn(root, lib)).map((triplet) => `${lib}/${triplet}`),
    ),
  );
  return [
    ...folders.flatMap((folder) => programs.map((program) => `${folder}/${program}`)),
    ...libraries.flat(),
    ...schemaFolders,
  ];
}

/** `x86_64-linux-gnu`, by Debian's name of the architecture. */
async function tripletsIn(root: string, lib: string): Promise<readonly string[]> {
  return (await readdir(join(root, lib)).catch(() => []))
    .filter((folder) => /^\w+-linux-gnu\w*$/.test(folder))
    .sort();
}

/**
 * An image on the root folder `root`. Its programs are started by its own loader with its own
 * libraries, so that they run on a host with another libc: `ld.so --library-path FOLDERS PROGRAM`
 * (ld.so(8)).
 * @throws Unavailable when a program, a schema or the loader is missing.
 */
export async function rootImage(name: string, digest: string, root: string): Promise<Image> {
  const broken = (what: string): Unavailable =>
    new Unavailable(`the image ${name} in ${root} has no ${what}`, [
      `remove the folder, it is made again: rm -r ${root}`,
      'or use the Open vSwitch of this machine: --image system',
    ]);
  const loader = await findLoader(root);
  if (loader === undefined) throw broken('loader of shared libraries');
  const paths = new Map<Program, string>();
  for (const program of programs) {
    const path = await firstPath(
      folders.map((folder) => join(root, folder, program)),
      constants.X_OK,
    );
    if (path === undefined) throw broken(program);
    paths.set(program, path);
  }
  const schemas = new Map<string, string>();
  for (const folder of schemaFolders) {
    for (const file of await readdir(join(root, folder)).catch(() => []))
      if (file.endsWith('.ovsschema')) schemas.set(file, join(root, folder, file));
  }
  return {
    name,
    digest,
    root,
    command: (program) => [...loader, paths.get(program) ?? program],
    schema: (file) => {
      const path = schemas.get(file);
      if (path === undefined) throw broken(file);
      return path;
    },
  };
}

/**
 * The loader and its arguments, for whatever architecture the folder is of; undefined when it is
 * not there.
 */
export async function findLoader(root: string): Promise<[string, ...string[]] | undefined> {
  for (const lib of ['usr/lib', 'lib']) {
    for (const triplet of await tripletsIn(root, lib)) {
      const loader = (await readdir(join(root, lib, triplet))).find((file) =>
        /^ld-linux.*\.so\.\d+$|^ld64\.so\.\d+$/.test(file),
      );
      const libraries = ['usr/lib', 'lib'].map((folder) => join(root, folder, triplet)).join(':');
      if (loader !== undefined)
        return [join(root, lib, triplet, loader), '--library-path', libraries];
    }
  }
  return undefined;
}
