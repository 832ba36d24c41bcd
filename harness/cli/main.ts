#!/usr/bin/env node
/** `flowbed`, as a process: its streams, its signals, its exit code. */
import { fileURLToPath } from 'node:url';
import { createTeardown } from '../base/teardown.js';
import { carryOut } from './commands.js';
import { exitCodes, type Context } from './context.js';

function createContext(): Context {
  let replaceable = false;
  let muted = false;
  const clear = () => {
    if (replaceable) process.stderr.write('\r\x1b[K');
    replaceable = false;
  };
  return {
    print: (text) => {
      clear();
      if (!muted) process.stdout.write(`${text}\n`);
    },
    say: (line) => {
      clear();
      if (muted) return;
      replaceable = process.stderr.isTTY;
      process.stderr.write(replaceable ? line.slice(0, process.stderr.columns - 1) : `${line}\n`);
    },
    complain: (line) => {
      clear();
      process.stderr.write(`${line}\n`);
    },
    mute: () => (muted = true),
    teardown: createTeardown(),
    root: fileURLToPath(new URL('../../..', import.meta.url)),
  };
}

async function main(): Promise<void> {
  const context = createContext();
  // Whoever read has seen enough, as `head` has: the work goes on to its exit code.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    context.mute();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      context.mute();
      context.complain('flowbed: interrupted, cleaning up');
      void context.teardown.run().finally(() => process.exit(exitCodes.interrupted));
    });
  }
  const code = await carryOut(context, process.argv.slice(2));
  await context.teardown.run();
  process.exitCode = code;
}

await main();
