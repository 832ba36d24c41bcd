/**
 * Writes dist/programs: programs that others start by themselves, each as one file. A runtime
 * copies or links a plugin into a folder of its own, where no module beside it is found.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What each is called, as the `type` of a network has it, and what it is made of. */
const programs = [
  ['ovn_cni', 'harness/programs/ovn-cni/main.js'],
  ['ovn_watcher', 'harness/programs/ovn-watcher/main.js'],
] as const;

export async function writePrograms(dist: string): Promise<void> {
  const folder = join(dist, 'programs');
  await mkdir(folder, { recursive: true });
  // node takes a file without extension for what the folder's package says.
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  for (const [name, main] of programs) {
    const entry = join(dist, main);
    if (!existsSync(entry)) continue; // a part of the project has none
    const outfile = join(folder, name);
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      minify: true,
      keepNames: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      logLevel: 'warning',
      banner: { js: '#!/usr/bin/env node' },
    });
    await chmod(outfile, 0o755);
  }
}
