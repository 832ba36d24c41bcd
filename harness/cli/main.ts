#!/usr/bin/env node
/**
 * `flowbed`, as it is started: it supervises the process that does the work. Commands that start
 * nothing and leave nothing do their work here, which takes half the time to start.
 */
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { startProgram } from './processes/start-program.js';
import { isBundle, isBundled, isUnsupervised } from './unsupervised.js';

// Since Node 22 compiled code is kept on disk. Its types are of an older one.
(nodeModule as { readonly enableCompileCache?: () => void }).enableCompileCache?.();

await startProgram(async () => {
  const { lowLimit, readLimits } = await import('./processes/low-limits.js');
  const low = lowLimit(readLimits());
  if (low !== undefined) {
    process.stderr.write(`flowbed: ${low.join('\n  - ')}\n`);
    process.exitCode = 3;
    return;
  }
  if (isUnsupervised(process.argv.slice(2))) {
    const { doWork } = await import('./do-work.js');
    return doWork();
  }
  const isInBundle = isBundle && isBundled(process.argv.slice(2));
  const { supervise } = await import('./processes/supervise.js');
  await supervise(
    fileURLToPath(new URL('../../..', import.meta.url)),
    fileURLToPath(new URL(isInBundle ? '../../bundle/work.js' : 'work.js', import.meta.url)),
    process.argv.slice(2),
  );
});
