/** An image of busybox alone, made without a registry. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const applets = ['sh', 'ping', 'cat', 'sleep', 'ip', 'nc', 'echo'];

/** @returns the archive that `docker import` takes. */
export function busyboxArchive(folder: string, busybox: string): string {
  const root = join(folder, 'root');
  for (const part of ['bin', 'proc', 'sys', 'dev', 'tmp'])
    mkdirSync(join(root, part), { recursive: true });
  copyFileSync(busybox, join(root, 'bin/busybox'));
  for (const applet of applets) symlinkSync('busybox', join(root, 'bin', applet));
  const archive = join(folder, 'busybox.tar');
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  return archive;
}
