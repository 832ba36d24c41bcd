#!/usr/bin/env node
/** `flowbed`, as it is started: it supervises the process that does the work. */
import { fileURLToPath } from 'node:url';
import { startProgram } from './start-program.js';

await startProgram(async () => {
  const { lowLimit, readLimits } = await import('./low-limits.js');
  const low = lowLimit(readLimits());
  if (low !== undefined) {
    process.stderr.write(`flowbed: ${low.join('\n  - ')}\n`);
    process.exitCode = 3;
    return;
  }
  const { supervise } = await import('./supervise.js');
  await supervise(
    fileURLToPath(new URL('../../..', import.meta.url)),
    fileURLToPath(new URL('work.js', import.meta.url)),
    process.argv.slice(2),
  );
});
