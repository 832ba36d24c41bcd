/** Files that are on the disk, or not there. */
import { open, rename, rm } from 'node:fs/promises';
import { Unavailable } from '../base/errors/errors.js';
import { remediesFor } from '../base/errors/machine-refusal.js';

/**
 * On the disk, or not there: also when the machine fails. @throws Unavailable where it cannot be
 * written.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const beside = `${file}.tmp`;
  try {
    const handle = await open(beside, 'w');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    const message = error instanceof Error ? error.message : String(error);
    throw new Unavailable(`${file} cannot be written: ${message}`, [
      ...remediesFor(message),
      'what is finished stays: ./flowbed nightly … --resume continues behind it',
    ]);
  }
}
