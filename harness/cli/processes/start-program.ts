/**
 * The beginning of a process, before the modules of the program are there. It imports none of
 * them: the machine may refuse to open so many files.
 */
import { closeSync } from 'node:fs';

/** In the environment: the descriptor that the process closes once its own code runs. */
export const startedVariable = 'FLOWBED_STARTED_FD';

/**
 * Loads and runs the program. What the machine refuses on the way ends the process with 3, and what
 * else is thrown with 70: node itself would end it with 1, which says that something diverges.
 */
export async function startProgram(program: () => Promise<unknown>): Promise<void> {
  process.on('SIGUSR1', () => undefined); // node would open a debugger to whoever asks
  const descriptor = process.env[startedVariable];
  delete process.env[startedVariable];
  try {
    if (descriptor !== undefined) closeSync(Number(descriptor));
    await program();
  } catch (error) {
    const { code, message, stack } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) {
      process.exitCode = 3;
      process.stderr.write(
        `flowbed: the machine refused: ${message}\n` +
          '  - raise its limits: ulimit -n 4096, ulimit -u 4096, ulimit -v unlimited\n',
      );
      return;
    }
    process.exitCode = 70;
    const { writtenStack } = await import('../bundle/written-stack.js');
    process.stderr.write(`${writtenStack(stack ?? message)}\n`);
  }
}
