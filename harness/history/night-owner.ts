/** Whose a night under way is. */
import { link, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../base/errors/errors.js';
import { within } from '../base/files/path-part.js';
import { answerableOwner, formatOwner, isAlive, parseOwner } from '../ovs/process/owner.js';
import { writeWhole } from './write-whole.js';

export const nightFile = z.strictObject({
  night: z.string(),
  at: z.string(),
  /** A digest of what is to be played: a night is continued with the same alone. */
  plan: z.string(),
  owner: z.string(),
});

/**
 * Of two that would continue the same night, one does: the one whose name is taken down for that of
 * the owner, who is gone. Where that one is gone as well, before it was the owner, its turn is
 * next.
 */
export async function claim(folder: string, owner: string): Promise<void> {
  const own = formatOwner(await answerableOwner());
  const text = within(folder, own, '.claims');
  await writeWhole(text, own);
  try {
    for (let gone = owner; ; ) {
      const file = within(folder, gone, '.claimed');
      const isOurs = await link(text, file).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (isOurs) return;
      const claimer = await readFile(file, 'utf8');
      const parsed = parseOwner(claimer);
      if (parsed === undefined || (await isAlive(parsed)))
        throw new InputError(`another process has just begun to continue the night in ${folder}`);
      gone = claimer;
    }
  } finally {
    await rm(text, { force: true });
  }
}

export async function writeOwner(
  folder: string,
  { night, at, plan }: { readonly night: string; readonly at: string; readonly plan: string },
): Promise<void> {
  const owner = formatOwner(await answerableOwner());
  await writeWhole(join(folder, 'night.json'), JSON.stringify({ night, at, plan, owner }));
}
